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

    def test_what_changed_most_is_read_first_and_new_files_before_all(self):
        self.assertEqual(TIDY.most_changed_first({"a.cc", "b.cc", "c.cc", "new.h"},
                                                 {"a.cc": 2, "b.cc": 40, "c.cc": 2}),
                         ["new.h", "b.cc", "a.cc", "c.cc"])

    def test_without_a_commit_to_compare_with_nothing_has_changed(self):
        said = io.StringIO()
        with mock.patch.multiple(TIDY, default_base=lambda: None, write_commands=set,
                                 COMMANDS=SCRIPT), contextlib.redirect_stdout(said):
            with mock.patch.object(TIDY.shutil, "which", lambda name: name):
                self.assertEqual(TIDY.main([]), 0)
        self.assertEqual(said.getvalue(), "no C++ source changed\n")

    def test_no_file_is_begun_after_the_end(self):
        self.assertIsNone(TIDY.check("there/is/no/such.cc", "", end=0))


if __name__ == "__main__":
    unittest.main()
