"""An entry script that fails for one row."""


def init():
    pass


def run(raw_data):
    if raw_data == "bad":
        raise ValueError("bad row")
    return raw_data
