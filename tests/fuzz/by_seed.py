"""tests/fuzz/by_seed.py: the command line of targets whose inputs are chosen by a seed."""

import argparse
import random
import time

from torchthaw.base import printing


def main(name, text, check, broken):
    """Tries new seeds for a time, or those given; returns the exit status. check(seed) raises ``broken``."""
    parser = argparse.ArgumentParser(description=text, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=int, help="how long new seeds are tried")
    parser.add_argument("seeds", nargs="*", type=int, metavar="SEED", help="those that are tried instead")
    options = parser.parse_args()
    if not options.seconds and not options.seeds:
        parser.error("expected --seconds or seeds")
    first, end, tried = random.SystemRandom().randrange(1 << 32), time.monotonic() + (options.seconds or 0), 0
    while tried < len(options.seeds) or options.seconds and time.monotonic() < end:
        seed = options.seeds[tried] if tried < len(options.seeds) else first + tried
        try:
            check(seed)
        except broken as error:
            print(f"{name}: python tests/fuzz/{name}.py {seed}: {printing.message(error)}")
            return 1
        tried += 1
    print(f"seeds from {options.seeds[0] if options.seeds else first}")
    print(f"{tried:,} cases")
    return 0
