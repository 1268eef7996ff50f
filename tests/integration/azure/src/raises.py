"""An entry script that cannot start."""


def init():
    raise RuntimeError("boom in init")


def run(raw_data):
    return raw_data
