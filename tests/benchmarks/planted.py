"""What the benchmarks of the finished programs share: a server of their own, the target server as
an image, and profiles of rows with something planted in them."""

import argparse
import json
import pathlib
import signal
import subprocess
import sys
import time

TESTS = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(TESTS / "integration"))
from server import BIN, FINISHED, Server  # noqa: E402
from target import model_tar  # noqa: E402

IMAGE = "mlprof-test/planted:1"
PROFILE_LIMIT_S = 1200


def arguments(description, times):
    """A parser with what every such benchmark takes."""
    parser = argparse.ArgumentParser(description=description,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--times", type=int, default=times, metavar="N",
                        help=f"how often (default {times})")
    parser.add_argument("--budget-seconds", type=int, default=300, metavar="S",
                        help="of each profile (default 300, as mlprof's own)")
    parser.add_argument("-o", "--output", choices=("text", "json"), default="text",
                        help="what is printed at the end (default text)")
    return parser


class Bench:
    """A private mlprof-server and the target's image; the with statement ends and removes both."""

    def __enter__(self):
        # Ended from outside, it still ends its server and removes what it made.
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
        subprocess.run([TESTS / "targets/make-image", IMAGE, BIN / "target-target-server"],
                       stdout=subprocess.DEVNULL, check=True)
        self.server = Server().start()
        self.model = self.server.register_model("planted", model_tar())
        self.count = 0
        return self

    def __exit__(self, *_):
        self.server.close()
        subprocess.run(["docker", "rmi", "-f", IMAGE], stdout=subprocess.DEVNULL, check=False)

    def start(self, rows, options=(), **more):
        """Queues a profile of these rows; its name."""
        self.count += 1
        name = f"planted-{self.count}"
        config = {"image": IMAGE, "args": [str(option) for option in options], "port": 8080,
                  "scoringPath": "/", "contentType": "text/plain"}
        dataset = self.server.register_rows(f"rows-{self.count}", list(rows))
        self.server.profile(name, self.model, dataset, config, **more)
        return name

    def profile(self, rows, options=(), **more):
        """The finished profile."""
        return self.server.wait_finished(self.start(rows, options, **more), PROFILE_LIMIT_S)


def warned(profile, code):
    return any(warning["code"] == code for warning in profile.get("warnings", []))


def say(text):
    print(f"{time.strftime('%H:%M:%S')} {text}", file=sys.stderr, flush=True)


def finish(options, result, text):
    print(json.dumps(result, indent=1) if options.output == "json" else text)


__all__ = ["Bench", "FINISHED", "PROFILE_LIMIT_S", "arguments", "finish", "say", "warned"]
