// Makes description.json anew from the npm package `discord-api-spec`, which is generated daily from Discord's OpenAPI
// document. Needed only to follow Discord; the tests read the file that is kept here.
//
//   npm install --prefix /tmp/spec --no-save discord-api-spec zod typescript@5
//   node <here>/refresh.mjs /tmp/spec/node_modules <here>/description.json
//
// Four things are changed on the way: an object admits no field that is not described (so that neither side invents
// one); a time is any RFC 3339 time (Discord writes +00:00 where zod wants Z); the codes inside of "Invalid Form Body" are
// words, as Discord's reference shows them, not numbers; and only what the routes below reach is kept.
import { createRequire } from "node:module";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [modules, target] = process.argv.slice(2);
const require = createRequire(join(modules, "refresh.js"));
const ts = require("typescript");
const folder = join(modules, "discord-api-spec");
const z = await import(pathToFileURL(join(modules, "zod", "index.js")).href);
const described = await import(pathToFileURL(join(folder, "build", "discord-api-spec.zod.js")).href);
const ABOUT = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));

// What the loopback server answers. Discord's document does not describe /oauth2/keys and the like; nobody asks here.
const ROUTES = {
  "/users/@me": ["get"],
  "/users/@me/channels": ["post"],
  "/users/@me/guilds": ["get"],
  "/users/{user_id}": ["get"],
  "/applications/@me": ["get"],
  "/oauth2/applications/@me": ["get"],
  "/gateway": ["get"],
  "/gateway/bot": ["get"],
  "/guilds/{guild_id}": ["get"],
  "/guilds/{guild_id}/channels": ["get", "post"],
  "/guilds/{guild_id}/members": ["get"],
  "/guilds/{guild_id}/members/{user_id}": ["get"],
  "/guilds/{guild_id}/roles": ["get"],
  "/guilds/{guild_id}/threads/active": ["get"],
  "/channels/{channel_id}": ["get", "patch", "delete"],
  "/channels/{channel_id}/messages": ["get", "post"],
  "/channels/{channel_id}/messages/bulk-delete": ["post"],
  "/channels/{channel_id}/messages/{message_id}": ["get", "patch", "delete"],
  "/channels/{channel_id}/messages/{message_id}/threads": ["post"],
  "/channels/{channel_id}/messages/pins": ["get"],
  "/channels/{channel_id}/messages/pins/{message_id}": ["put", "delete"],
  "/channels/{channel_id}/pins": ["get"],
  "/channels/{channel_id}/pins/{message_id}": ["put", "delete"],
  "/channels/{channel_id}/typing": ["post"],
  "/channels/{channel_id}/threads": ["post"],
  "/channels/{channel_id}/thread-members": ["get"],
  "/channels/{channel_id}/thread-members/@me": ["put", "delete"],
  "/channels/{channel_id}/thread-members/{user_id}": ["get"],
  "/channels/{channel_id}/threads/archived/public": ["get"],
  "/channels/{channel_id}/threads/archived/private": ["get"],
  "/applications/{application_id}/commands": ["get", "put", "post"],
  "/applications/{application_id}/commands/{command_id}": ["get", "patch", "delete"],
  "/applications/{application_id}/guilds/{guild_id}/commands": ["get", "put", "post"],
  "/applications/{application_id}/guilds/{guild_id}/commands/{command_id}": ["get", "patch", "delete"],
  "/interactions/{interaction_id}/{interaction_token}/callback": ["post"],
  "/webhooks/{webhook_id}/{webhook_token}": ["post"],
  "/webhooks/{webhook_id}/{webhook_token}/messages/@original": ["get", "patch", "delete"],
  "/webhooks/{webhook_id}/{webhook_token}/messages/{message_id}": ["get", "patch", "delete"],
};
// The objects inside of gateway events.
const OBJECTS = [
  "UserResponse", "GuildResponse", "GuildMemberResponse", "GuildRoleResponse", "GuildChannelResponse", "ThreadResponse",
  "PrivateChannelResponse", "MessageResponse", "ErrorResponse", "RatelimitedResponse", "ThreadMemberResponse",
];

const named = z.registry();
for (const [name, schema] of Object.entries(described))
  if (name.endsWith("Schema")) named.add(schema, { id: name.slice(0, -"Schema".length) });
const schemas = z.toJSONSchema(named, { uri: (id) => `#/$defs/${id}`, unrepresentable: "any", io: "input" }).schemas;

function tidy(schema) {
  if (Array.isArray(schema)) return schema.map(tidy);
  if (schema === null || typeof schema !== "object") return schema;
  const kept = {};
  for (const [key, value] of Object.entries(schema)) {
    if (key === "$schema" || key === "$id") continue;
    kept[key] = key === "properties" ? Object.fromEntries(Object.entries(value).map(([n, s]) => [n, tidy(s)])) : tidy(value);
  }
  if (kept.format === "date-time") kept.pattern = "^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d+)?(Z|[+-]\\d\\d:\\d\\d)$";
  if (kept.type === "object" && kept.properties && kept.additionalProperties === undefined) kept.additionalProperties = false;
  return kept;
}

// The types of paths are written out in TypeScript; zod has the named ones only.
const source = ts.createSourceFile("spec.ts", readFileSync(join(folder, "build", "discord-api-spec.ts"), "utf8"), ts.ScriptTarget.Latest);
const paths = source.statements.find((each) => ts.isInterfaceDeclaration(each) && each.name.text === "Paths");
const field = (node, name) => node?.members?.find((each) => each.name.text === name)?.type;

function schemaOf(node) {
  if (ts.isTypeReferenceNode(node)) return { $ref: `#/$defs/${node.typeName.text}` };
  if (ts.isArrayTypeNode(node)) return { type: "array", items: schemaOf(node.elementType) };
  if (ts.isParenthesizedTypeNode(node)) return schemaOf(node.type);
  if (ts.isUnionTypeNode(node)) return { anyOf: node.types.map(schemaOf) };
  if (ts.isLiteralTypeNode(node))
    return node.literal.kind === ts.SyntaxKind.NullKeyword ? { type: "null" } : { const: node.literal.text };
  if (ts.isTypeLiteralNode(node)) return objectOf(node);
  const plain = { [ts.SyntaxKind.StringKeyword]: "string", [ts.SyntaxKind.NumberKeyword]: "number", [ts.SyntaxKind.BooleanKeyword]: "boolean" };
  if (node.kind in plain) return { type: plain[node.kind] };
  if (node.kind === ts.SyntaxKind.UnknownKeyword) return {};
  throw new Error(`no schema for ${ts.SyntaxKind[node.kind]}`);
}

function objectOf(node) {
  const fields = node.members.map((each) => [each.name.text, schemaOf(each.type)]);
  const required = node.members.filter((each) => !each.questionToken).map((each) => each.name.text);
  return { type: "object", properties: Object.fromEntries(fields), required, additionalProperties: false };
}

function routeOf(path, method) {
  const operation = field(field(paths, path), method);
  if (!operation) throw new Error(`${method} ${path} is not described`);
  const query = field(field(operation, "parameters"), "query");
  const body = field(operation, "requestBody");
  const answers = field(operation, "responses").members.map((each) => [each.name.text, schemaOf(each.type)]);
  const route = { responses: Object.fromEntries(answers) };
  if (query && ts.isTypeLiteralNode(query)) route.query = objectOf(query);
  if (body && body.kind !== ts.SyntaxKind.UndefinedKeyword) route.request = schemaOf(body);
  return route;
}

const routes = {};
for (const [path, methods] of Object.entries(ROUTES))
  for (const method of methods) routes[`${method.toUpperCase()} ${path}`] = routeOf(path, method);

const reached = {};
function reach(schema) {
  for (const [, name] of JSON.stringify(schema).matchAll(/"#\/\$defs\/(\w+)"/g)) {
    if (name in reached) continue;
    if (!(name in schemas)) throw new Error(`${name} has no schema`);
    reached[name] = flat(tidy(schemas[name]));
    reach(reached[name]);
  }
}
// Only errors are written as parts: they are laid together, so that they too admit nothing undescribed.
function flat(schema) {
  const parts = (schema.allOf ?? [schema]).map((each) => (each.$ref ? tidy(schemas[each.$ref.split("/").pop()]) : each));
  if (parts.length === 1) return schema;
  const required = parts.flatMap((each) => each.required ?? []);
  const properties = Object.assign({}, ...parts.map((each) => each.properties));
  return { type: "object", properties, required, additionalProperties: false };
}

reach(routes);
reached.InnerErrors.properties._errors.items = {
  type: "object",
  properties: { code: { type: "string" }, message: { type: "string" } },
  required: ["code", "message"],
  additionalProperties: false,
};
reach(OBJECTS.map((name) => ({ $ref: `#/$defs/${name}` })));

const lines = (table) => Object.keys(table).sort().map((name) => `${JSON.stringify(name)}: ${JSON.stringify(table[name])}`).join(",\n");
const about = {
  source: "Discord's OpenAPI document, https://github.com/discord/discord-api-spec",
  by: `npm package discord-api-spec ${ABOUT.version}, ${ABOUT.repository}; made by refresh.mjs beside this file`,
  licence: readFileSync(join(folder, "LICENSE"), "utf8").trim(),
};
writeFileSync(target, `{"about": ${JSON.stringify(about)},\n"routes": {\n${lines(routes)}\n},\n"$defs": {\n${lines(reached)}\n}}\n`);
console.log(`${Object.keys(routes).length} routes, ${Object.keys(reached).length} schemas`);
