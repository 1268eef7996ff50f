"""Installs a finished build into an empty folder and uses it from there, the tree out of sight.

MLPROF_BUILD names the build folder, MLPROF_CMAKE and MLPROF_CXX the programs that made it.
"""

import concurrent.futures
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

PROGRAM = pathlib.Path(__file__).with_name("program")
CMAKE = os.environ["MLPROF_CMAKE"]
CXX = os.environ["MLPROF_CXX"]


def run(*command, stdin=""):
    return subprocess.run([str(part) for part in command], input=stdin, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, timeout=120, check=False)


class InstalledTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="mlprof-installed-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        # Moved once it is there: nothing may remember where it was installed.
        done = run(CMAKE, "--install", os.environ["MLPROF_BUILD"], "--prefix", cls.folder / "first")
        if done.returncode != 0:
            raise AssertionError(done.stdout)
        cls.prefix = cls.folder / "prefix"
        (cls.folder / "first").rename(cls.prefix)

    def succeed(self, *command):
        done = run(*command)
        self.assertEqual(done.returncode, 0, done.stdout)
        return done.stdout

    def test_programs_are_there_and_run(self):
        for program in ("mlprof", "mlprof-server"):
            self.assertIn("0.1", self.succeed(self.prefix / "bin" / program, "--version"))
        self.assertTrue(os.access(self.prefix / "bin/mlprof-agent", os.X_OK))

    def test_each_public_header_compiles_alone(self):
        include = self.prefix / "include"
        headers = sorted(include.rglob("*.h"))
        self.assertIn(include / "mlprof/client.h", headers)

        def compiled(header):
            source = f'#include "{header}"\n'
            return header, run(CXX, "-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Wpedantic",
                               "-Werror", f"-I{include}", f"-I{include}/mlprof", "-xc++", "-",
                               stdin=source)

        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            for header, done in pool.map(compiled, headers):
                with self.subTest(header=header.name):
                    self.assertEqual(done.returncode, 0, done.stdout)

    def test_a_program_outside_the_tree_builds_with_it_and_runs(self):
        source = shutil.copytree(PROGRAM, self.folder / "program")
        build = self.folder / "build"
        self.succeed(CMAKE, "-S", source, "-B", build, "-G", "Ninja",
                     f"-DCMAKE_CXX_COMPILER={CXX}", f"-DCMAKE_PREFIX_PATH={self.prefix}")
        self.succeed(CMAKE, "--build", build)
        self.assertEqual(self.succeed(build / "user"), "unavailable\n")


if __name__ == "__main__":
    unittest.main()
