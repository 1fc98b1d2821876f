"""Write the golden results again, or with ``--exact`` print what differs in any bit."""

from __future__ import annotations

import argparse
import sys

from tests.golden.store import compare_all, groups_here, write_all
from tests.golden.trees import data_home


def main() -> int:
    """Return 1 where something differs."""
    parser = argparse.ArgumentParser(prog="python -m tests.golden", description=__doc__)
    parser.add_argument("--exact", action="store_true", help="compare to the last bit")
    wants_comparison = parser.parse_args().exact
    if data_home() is None:
        print("without Car and the faces: there is no public data; set ORDLINK_DATA")
    if not wants_comparison:
        write_all()
        return 0
    n_found = 0
    for line in compare_all():
        n_found += 1
        print(line, flush=True)
    print(f"{n_found} differences; {len(groups_here())} groups of results, files and commands")
    return int(n_found > 0)


if __name__ == "__main__":
    sys.exit(main())
