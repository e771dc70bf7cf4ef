"""Claude is busy, overloaded, refuses, breaks off; Discord limits and fails. Everybody has an answer all the same."""

from tests.loopback.messages import Cuts, Declines, Fails
from tests.scenario.claude import AT_LENGTH, LAST
from tests.scenario.stage import Stage


async def chapter(stage: Stage) -> None:
    await _claude_has_troubles(stage)
    await _discord_has_troubles(stage)
    await _a_long_answer_is_split(stage)


async def _claude_has_troubles(stage: Stage) -> None:
    cast, claude = stage.cast, stage.claude
    claude.then("answer", Fails(429, "rate_limit_error", "slow down", retry_after="0.01"))
    assert "marigold" in await stage.answered(cast.kim, cast.general, "tea, if you are not too busy?")
    claude.then("answer", Fails(529, "overloaded_error", "Overloaded", retry_after="0.01"))
    assert "marigold" in await stage.answered(cast.kim, cast.general, "tea, if you can?")
    claude.then("answer", Cuts("You told"))
    assert "marigold" in await stage.answered(cast.kim, cast.general, "tea, in one piece?")
    claude.then("answer", Declines())
    refused = await stage.answered(cast.tobi, cast.general, "tell me what you may not")
    assert refused, "a refusal is told in words"


async def _discord_has_troubles(stage: Stage) -> None:
    cast, world = stage.cast, stage.world
    sending = f"/channels/{cast.teahouse.id}/messages"
    world.limit("POST", sending, 0.01)
    await stage.answered(cast.kim, cast.teahouse, "tea within limits?")
    world.limit("POST", sending, 0.01, everywhere=True)
    await stage.answered(cast.kim, cast.teahouse, "tea within all limits?")
    world.cut("POST", sending, after=True)
    await stage.answered(cast.kim, cast.teahouse, "tea, though the line was cut behind it?")


async def _a_long_answer_is_split(stage: Stage) -> None:
    cast = stage.cast
    question = await stage.asks(cast.ada, cast.teahouse, f"tell me of roses and lavender, {AT_LENGTH}")
    await stage.answer(question)
    said = stage.world.bot_messages

    def parts() -> list[str]:
        texts = [each.content for each in said(cast.teahouse) if each.id > question.id]
        return texts if texts and LAST in texts[-1] else []

    texts = await stage.until(parts, "the last part of a long answer")
    assert len(texts) > 2
    assert all(len(each) <= 2000 and each.count("```") % 2 == 0 for each in texts)
