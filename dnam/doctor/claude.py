"""Claude: whether the key is good and the models that the settings name are there, and what the day has cost."""

from typing import TYPE_CHECKING

from dnam.doctor.check import SECONDS, Finding, Patient, doubt, skipped, well, wrong
from replay.errors import LogError

if TYPE_CHECKING:
    from anthropic import AsyncAnthropic

NEW_KEY = "Set ANTHROPIC_API_KEY to a key of console.anthropic.com, Settings, API keys."
UNREACHED = "Check the network, and ANTHROPIC_BASE_URL where it is set."


async def key(patient: Patient) -> list[Finding]:
    """A cheap question: what Claude knows of each model that the settings name."""
    from dnam.models import access_of, in_use, unasked

    settings = patient.settings
    if why := unasked(settings):
        return doubt(why, f"Set ANTHROPIC_API_KEY, or take ANTHROPIC_BASE_URL out. {NEW_KEY}")
    if not settings.anthropic_api_key:
        return skipped("ANTHROPIC_API_KEY is not set: the offline model answers and learns", NEW_KEY)
    from anthropic import AsyncAnthropic

    access = access_of(settings)
    async with AsyncAnthropic(api_key=access.key, base_url=access.base_url, max_retries=0, timeout=SECONDS) as client:
        found = [await _model(client, name, model) for name, model in in_use(settings).items()]
    wrongs = [each for each in found if each.state != "well"]
    return list(dict.fromkeys(wrongs)) or well(f"the key is good; {', '.join(each.what for each in found)}")


async def _model(client: "AsyncAnthropic", name: str, model: str) -> Finding:
    import anthropic

    stands = model if name == model else f"{name} is {model}"
    try:
        await client.models.retrieve(model)
    except anthropic.AuthenticationError:
        return Finding("wrong", "Claude does not accept the key", NEW_KEY)
    except anthropic.PermissionDeniedError:
        return Finding("wrong", f"the key may not use {model}", f"Use another key or another model. {NEW_KEY}")
    except anthropic.NotFoundError:
        return Finding(
            "doubt", f"Claude's API knows nothing of the model {stands}",
            "Check DNAM_ANSWER_MODEL, DNAM_SUMMARY_MODEL and DNAM_DURABLE_MODEL. Servers other than Anthropic's may "
            "not list their models.",
        )  # fmt: skip
    except anthropic.APIStatusError as error:
        return Finding("wrong", f"Claude's API is not in order (status {error.status_code})", "Try again later.")
    except anthropic.APIError as error:
        return Finding("wrong", f"Claude's API cannot be reached: {error}", UNREACHED)
    return Finding("well", stands)


async def budget(patient: Patient) -> list[Finding]:
    """What today has cost, against the limit."""
    from dnam.budget import budget_of
    from dnam.models import in_use, unpriced
    from projections.calls import spent_on
    from projections.policies.budget import over_cost
    from replay.engine import Engine

    limit = budget_of(patient.settings)
    if not limit.micros_per_day:
        return skipped("DNAM_MAX_COST_PER_DAY is 0: there is no limit")
    try:
        with Engine.open(patient.data, writable=False) as engine, engine.reading() as rows:
            spent = spent_on(rows, patient.now())
    except (LogError, OSError):  # the log's own check says what is wrong with it
        return skipped("there is no log to add up")
    answers, learning = over_cost(spent, "answer", limit), over_cost(spent, "extraction", limit)
    if answers is not None:
        return wrong(f"nobody is answered until tomorrow (UTC): {answers.reason}", "Raise DNAM_MAX_COST_PER_DAY.")
    if learning is not None:
        return doubt(f"learning waits until tomorrow (UTC): {learning.reason}", "Raise DNAM_MAX_COST_PER_DAY.")
    uncounted = unpriced(patient.settings, in_use(patient.settings)) if patient.settings.anthropic_api_key else []
    if uncounted:
        return doubt(" ".join(uncounted), "Set a limit where that model is paid for, or take one that has a price.")
    return well(f"{spent.micros / 1_000_000:.4f} of {patient.settings.max_cost_per_day} US dollars are spent today")
