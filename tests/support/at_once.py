"""tests/support/at_once.py: work in several threads that begin together, and what another thread does meanwhile."""

import itertools
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

THREADS = 8


def in_threads(work):
    """work(number) in several threads at once; the first exception of any."""
    start = threading.Barrier(THREADS)

    def run(number):
        start.wait()
        work(number)

    with ThreadPoolExecutor(THREADS) as pool:
        list(pool.map(run, range(THREADS)))


@contextmanager
def meanwhile(work):
    """Calls work(0), work(1), ... in a thread of its own until the block ends; at least once."""
    ended = threading.Event()

    def run():
        for number in itertools.count():
            work(number)
            if ended.wait(0.001):
                return

    with ThreadPoolExecutor(1) as pool:
        future = pool.submit(run)
        try:
            yield
        finally:
            ended.set()
        future.result()
