"""Claude, by Anthropic's own SDK, behind the `Model` protocol.

    claude        one ask from its first try to its reply; the only file with a clock and a socket
    aliases       `haiku` is the newest Haiku that the SDK knows
    capabilities  what a model can do, as the API says of it
    asking        an ask as the Messages API has it: system first, cache breakpoints, the shape of the reply
    faults        what can go wrong, and what becomes of it: tried again, told, counted against the service
    streams       a stream, read into a reply
    tool_use      calls of tools and what came of them, as the Messages API has them
    service       the client of a key, and what its models can do, as it has learnt
    tally         what all tries of an ask took
    stops         why a reply ended, and what an answer is then
    batches       questions that can wait, at half the price: `ask` queues, `send` sends and waits; it can be left
    batch_…       of a batch: its book on disk, the calls, the questions, their requests, their results

The SDK takes two seconds to load, so nothing here imports it before it is needed.
"""
