"""How much a judge looks at, and how long it waits, as in `extent.mjs`."""

import os
import time


def _whole(name, otherwise):
    value = os.environ.get(name) or str(otherwise)
    if not value.isdecimal():
        raise SystemExit(f"{name} is no whole number: {value}")
    return int(value)


IS_LONG = _whole("TEST_TIMES", 1) > 1
# Chooses the third of a normal run: the day since 1970, or what the environment names.
SEED = _whole("TEST_SEED", int(time.time()) // 86_400)
# The longest wait for any one thing, in seconds: it ends what hangs, and says nothing about speed.
PATIENCE = 120.0


def third(items):
    """Returns all items in a long run, otherwise a third of them: three seeds in a row choose everything."""
    return items if IS_LONG else items[SEED % 3 :: 3]


def third_said(what, chosen, all_of_them):
    """Says which third was chosen of so many `what`, and how the choice is repeated."""
    if chosen == all_of_them:
        return f"all {all_of_them} {what}"
    repeat = f"TEST_SEED={SEED} repeats this choice, TEST_TIMES=2 takes all"
    return f"{chosen} of {all_of_them} {what}, by seed {SEED}: {repeat}"
