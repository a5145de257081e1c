"""Extent of the checks and limits of waits, as in `extent.mjs`."""

import os
import time


def _whole(name, otherwise):
    value = os.environ.get(name) or str(otherwise)
    if not value.isdecimal():
        raise SystemExit(f"{name} is no whole number: {value}")
    return int(value)


IS_LONG = _whole("TEST_TIMES", 1) > 1
# Selects the third of a normal run: the day since 1970, or `TEST_SEED`.
SEED = _whole("TEST_SEED", int(time.time()) // 86_400)
# The longest wait, in seconds. It is no promise of speed.
PATIENCE = 120.0


def third(items):
    """Returns all items in a long run, otherwise a third of them; three consecutive seeds cover everything."""
    return items if IS_LONG else items[SEED % 3 :: 3]


def third_said(what, chosen, all_of_them):
    """Returns a note on the selected third, with the seed that repeats it."""
    if chosen == all_of_them:
        return f"all {all_of_them} {what}"
    repeat = f"TEST_SEED={SEED} repeats this choice, TEST_TIMES=2 takes all"
    return f"{chosen} of {all_of_them} {what}, by seed {SEED}: {repeat}"
