"""Run all long runs and say which bars were met; --short for a few minutes."""

from __future__ import annotations

import argparse
import sys

from soak.runs import N_KILLS, RUNS


def main(words: list[str] | None = None) -> int:
    """Run what was asked for; return 1 if a bar was missed."""
    parser = argparse.ArgumentParser(prog="soak", description=__doc__)
    parser.add_argument("--short", action="store_true", help="a short version of each run")
    parser.add_argument("--kills", type=int, metavar="N", help=f"instead of {N_KILLS}")
    parser.add_argument("runs", nargs="*", metavar="RUN", help=f"of {', '.join(RUNS)}; all")
    arguments = parser.parse_args(words)
    unknown = set(arguments.runs) - set(RUNS)
    if unknown:
        parser.error(f"there is no run {unknown.pop()!r}; choose of {', '.join(RUNS)}")
    all_good = True
    for name in arguments.runs or RUNS:
        kills = {"n_kills": arguments.kills} if arguments.kills and "kill" in name else {}
        outcome = RUNS[name](arguments.short, **kills)
        all_good &= outcome.is_met is not False
        print(f"{outcome!s:7}  {name}: {outcome.report}", flush=True)
    return 0 if all_good else 1


if __name__ == "__main__":
    sys.exit(main())
