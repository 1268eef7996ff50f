"""How fast the host is beside its fastest: what is measured in a slow hour tells of the hour. Other
guests of its host make the same work dear, and no counter shows them."""

import pathlib
import time

import json_file

# Of the fastest. What equal profiles differ by on a quiet host is less.
STEADY = 1.25
WORK = 400_000
MEASUREMENTS = 5
APART_SECONDS = 2
BETWEEN_LOOKS_SECONDS = 60


def fixed_work():
    """CPU seconds of work that is always the same."""
    began = time.process_time()
    total = 0
    for number in range(WORK):
        total += number
    return time.process_time() - began


def measured(measure=fixed_work, sleep=time.sleep):
    """Several, some seconds apart."""
    found = [measure()]
    while len(found) < MEASUREMENTS:
        sleep(APART_SECONDS)
        found.append(measure())
    return found


class Pace:
    """`folder`: keeps the fastest this machine was seen at."""

    def __init__(self, folder, measure=fixed_work, sleep=time.sleep, clock=time.monotonic):
        self.path = pathlib.Path(folder) / "pace.json"
        self.measure, self.sleep, self.clock = measure, sleep, clock

    def now(self):
        """The slowest of several, over the fastest ever: 1 on a host that is as fast as it can be."""
        found = measured(self.measure, self.sleep)
        known = json_file.read(self.path, {}).get("fastestSeconds")
        fastest = min(found if known is None else [known, *found])
        if fastest != known:
            json_file.write(self.path, {"fastestSeconds": fastest})
        return max(found) / fastest

    def becomes_steady(self, minutes, say):
        """Whether it is as fast as at its fastest, now or within `minutes`."""
        end = self.clock() + 60 * minutes
        while (pace := self.now()) > STEADY:
            if self.clock() >= end:
                return False
            say(f"the same work takes {pace:.1f} times the CPU it takes here at best: waiting")
            self.sleep(BETWEEN_LOOKS_SECONDS)
        return True
