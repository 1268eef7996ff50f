"""An entry script whose first row is not answered before any budget ends."""

import time


def init():
    pass


def run(raw_data):
    time.sleep(3600)
    return raw_data
