"""Recall in a process of its own: `python -m tests.bench.recall_alone FOLDER NUMBER QUERIES` prints, as JSON, how much
memory it holds before the first query and at the most, in MB, without what it has mapped of files.
"""

import json
import sys
from pathlib import Path

from projections.recall.reckoners import use_compiled
from replay.engine import Engine
from tests.bench.alone import rss_mb
from tests.bench.asking import ask_one, searching
from tests.bench.library import asked
from tests.bench.talk import channel
from tests.bench.zipf import Zipf


def main(folder: Path, number: int, queries: int) -> dict[str, float]:
    """Ask so many queries in the first channel, at the time of the message of this number."""
    drawn = Zipf(5).queries(queries)
    use_compiled()
    with Engine.open(folder, writable=False) as engine:
        with engine.reading() as rows:
            wanted = asked(rows, channel(0), number)
        search = searching(engine, wanted)
        before = most = rss_mb()
        for query in drawn:
            ask_one(search, query)
            most = max(most, rss_mb())
    return {"before": before, "most": most}


if __name__ == "__main__":
    sys.stdout.write(json.dumps(main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))))
