"""An entry script that is not ready before any budget ends."""

import time


def init():
    time.sleep(3600)


def run(raw_data):
    return raw_data
