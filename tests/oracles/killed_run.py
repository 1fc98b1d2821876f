"""A run that kills itself: `python killed_run.py RECORD LOG N`, once N answers were given."""

import os
import signal
import sys
import threading

import numpy as np

from ordlink.oracles import ConcurrentOracle, FunctionOracle, RecordedOracle

QUESTIONS = np.array([[0, i, 0, j] for i in range(1, 40) for j in range(i + 1, 40)])


def main(record: str, log: str, n_answers: str) -> None:
    lock, heard = threading.Lock(), []

    def answer(i: int, j: int, k: int, l: int) -> bool:  # noqa: E741 - the paper's letters
        with lock, open(log, "a") as file:  # noqa: PTH123 - quick to start
            file.write(f"{j} {l}\n")
            heard.append((j, l))
            if len(heard) == int(n_answers):
                file.flush()
                os.kill(os.getpid(), signal.SIGKILL)
        return True

    oracle = ConcurrentOracle(FunctionOracle(answer, 40), n_parallel=4)
    RecordedOracle(oracle, record).compare(QUESTIONS)


if __name__ == "__main__":
    main(*sys.argv[1:])
