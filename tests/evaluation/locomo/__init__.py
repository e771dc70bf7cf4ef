"""Evidence recall on LoCoMo's conversations, without a model: `make eval LOCOMO=path`.

LoCoMo (Maharana et al., Evaluating Very Long-Term Conversational Memory of LLM Agents, 2024) asks questions about long
conversations of two people, and names the turns that the answers rest on. Nothing of it lies in this project: the path
of a file is given.

    talks        the file: conversations, questions, observations
    remembering  the conversations in a memory, brought in by the importer; what a scripted model notes of them
    rankings     who ranks a conversation's turns for a question: recall as the bot calls it, and plain BM25
    pools        what recall finds with the points of every field, to be ranked under other weights
    tuning       weights for some questions, by a search
    fitting      the same by likelihood
    held_out     each conversation left out in turn: weights found on the others, and what every field is worth
    encoding     vectors of all of it, where DNAM_ENCODER names an encoder
    measures     recall, reciprocal rank and nDCG of a ranking
    prompts      whether the evidence stands in the prompt
    beside       the same questions asked of a memory and of a shadow of it
    report       tables, JSON and goals
    tables       what these have in common
"""
