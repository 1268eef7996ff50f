"""The program with known needs (tests/targets/target_server.cc) as a container image."""

import io
import os
import subprocess
import tarfile

from server import BIN, ROOT

# One for each process: scripts that run beside one another remove none of each other's.
IMAGE = f"mlprof-test/target-{os.getpid()}:1"
WRITABLE = "/var/cache/x"


def make_image(program="target-target-server"):
    """Imports the program as an image, IMAGE where it is the usual one; whoever calls it removes
    it."""
    image = IMAGE if program == "target-target-server" else IMAGE.replace("target", program, 1)
    subprocess.run([ROOT / "tests/targets/make-image", image, BIN / program, WRITABLE],
                   stdout=subprocess.DEVNULL, check=True)
    return image


def remove_image(image=IMAGE):
    subprocess.run(["docker", "rmi", "-f", image], stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL, check=False)


def config(*arguments, **more):
    """An inference config that runs the program with these arguments."""
    settings = {"image": IMAGE, "args": list(arguments), "port": 8080, "scoringPath": "/",
                "contentType": "text/plain", "startTimeoutSeconds": 30,
                "requestTimeoutSeconds": 10}
    settings.update(more)
    return settings


def model_tar(files=(("weights", b"1"),)):
    """A tar of a model that the program does not read."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as tar:
        for name, content in files:
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            tar.addfile(entry, io.BytesIO(content))
    return out.getvalue()


def rows(work, count=20):
    """`count` different rows that all do the same work."""
    return [f"{work} row{i}" for i in range(count)]
