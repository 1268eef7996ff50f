"""Looks how .ci/tidy turns a command of g++ into one of clang: python3 -B .ci/test_tidy.py"""

import contextlib
import importlib.machinery
import importlib.util
import io
import pathlib
import unittest
from unittest import mock

SCRIPT = pathlib.Path(__file__).with_name("tidy")
LOADER = importlib.machinery.SourceFileLoader("tidy", str(SCRIPT))
TIDY = importlib.util.module_from_spec(importlib.util.spec_from_loader("tidy", LOADER))
LOADER.exec_module(TIDY)


class TidyTest(unittest.TestCase):
    def test_clang_reads_the_precompiled_header_as_a_plain_one(self):
        self.assertEqual(
            TIDY.for_clang("c++ -Winvalid-pch -include /b/common/CMakeFiles/c.dir/cmake_pch.hxx -c a.cc"),
            f"c++ -include {TIDY.ROOT}/common/pch.h -c a.cc")

    def test_flags_of_gcc_alone_are_left_out_and_others_kept(self):
        self.assertEqual(
            TIDY.for_clang("c++ -DX=1 -I/b -O2 -Werror -fpch-preprocess -Wno-tsan -std=c++20 -c a.cc"),
            "c++ -DX=1 -I/b -O2 -std=c++20 -c a.cc")

    def test_a_unit_is_read_for_any_of_its_sources(self):
        units = {"u0": {"a.cc", "b.cc"}, "u1": {"c.cc"}, "u2": {"d.cc"}}
        self.assertEqual(TIDY.units_to_read({"a.cc", "b.cc", "d.cc"}, units), ["u0", "u2"])

    def test_a_header_is_read_with_its_own_source(self):
        units = {"u0": {"a.cc"}, "u1": {"b.cc"}}
        self.assertEqual(TIDY.units_to_read({"b.h"}, units), ["u1"])

    def test_a_header_without_a_source_is_read_where_it_is_included(self):
        units = {"u0": {"a.cc"}, "u1": {"b.cc"}, "u2": {"c.cc"}}
        with mock.patch.object(TIDY, "git", lambda *arguments: "b.cc\nc.cc\n"):
            self.assertEqual(TIDY.units_to_read({"x.h"}, units), ["u1"])
            self.assertEqual(TIDY.units_to_read({"x.h", "c.cc"}, units), ["u2"])

    def test_what_no_unit_reads_is_left_out(self):
        with mock.patch.object(TIDY, "git", lambda *arguments: ""):
            self.assertEqual(TIDY.units_to_read({"x.h", "y.cc"}, {"u0": {"a.cc"}}), [])

    def test_without_a_commit_to_compare_with_nothing_has_changed(self):
        said = io.StringIO()
        with mock.patch.multiple(TIDY, default_base=lambda: None, write_commands=dict,
                                 configure=lambda: True), contextlib.redirect_stdout(said):
            with mock.patch.object(TIDY.shutil, "which", lambda name: name):
                self.assertEqual(TIDY.main([]), 0)
        self.assertEqual(said.getvalue(), "no C++ source changed\n")


if __name__ == "__main__":
    unittest.main()
