"""The program with known needs (tests/targets/target_server.cc) as a container image."""

import io
import pathlib
import subprocess
import tarfile
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
IMAGE = "mlprof-test/target:1"
WRITABLE = "/var/cache/x"


def make_image():
    """Compiles the program statically and imports it as IMAGE; whoever calls it removes it."""
    with tempfile.TemporaryDirectory() as folder:
        program = pathlib.Path(folder) / "target_server"
        sources = [ROOT / "tests/targets/target_server.cc",
                   *sorted((ROOT / "tests/targets/target").glob("*.cc"))]
        subprocess.run(["c++", "-std=c++20", "-O2", "-static", "-s", "-I", ROOT, "-o", program,
                        *sources, "-pthread"], check=True)
        subprocess.run([ROOT / "tests/targets/make-image", IMAGE, program, WRITABLE],
                       stdout=subprocess.DEVNULL, check=True)
    return IMAGE


def remove_image():
    subprocess.run(["docker", "rmi", "-f", IMAGE], stdout=subprocess.DEVNULL,
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
