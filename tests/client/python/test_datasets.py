"""Datasets: which rows files hold, and when they go to the server."""

import unittest
import warnings

from fixture import PackageTest
from mlprof.core import Dataset, Datastore
from mlprof.data import DataPath, DataType, dataset_type_definitions
from mlprof.exceptions import UserErrorException

NO_HEADERS = dataset_type_definitions.PromoteHeadersBehavior.NO_HEADERS
ONLY_FIRST = dataset_type_definitions.PromoteHeadersBehavior.ONLY_FIRST_FILE_HAS_HEADERS


def lines(path, **more):
    return Dataset.Tabular.from_delimited_files(
        path, **{"separator": "\n", "header": NO_HEADERS, **more})


class RowsTest(PackageTest):
    def test_a_line_is_a_row_as_it_stands(self):
        self.write("rows.txt", '\ufeff{"a": "x, y"}\r\n\n  blanks  \n"a" b\n"a\n12')
        self.assertEqual(lines("rows.txt").rows(),
                         ['{"a": "x, y"}', "  blanks  ", '"a" b', '"a', "12"])

    def test_a_line_that_is_quoted_as_a_whole_loses_its_quotes_as_on_azure(self):
        self.write("rows.txt", '"a ""b"""\r\n""\n"c"')
        self.assertEqual(lines("rows.txt").rows(), ['a "b"', "c"])

    def test_type_inference_changes_no_row(self):
        self.write("rows.txt", "1\n002\ntrue\n")
        for infer in (True, False):
            dataset = lines("rows.txt", infer_column_types=infer,
                            set_column_types={"Column1": DataType.to_string()})
            self.assertEqual(dataset.rows(), ["1", "002", "true"])

    def test_a_header_is_no_row(self):
        self.write("a.txt", "title\nrow1\n")
        self.write("b.txt", "row2\n")
        self.assertEqual(lines("a.txt", header=True).rows(), ["row1"])
        self.assertEqual(lines("a.txt", header=False).rows(), ["title", "row1"])
        self.assertEqual(lines(["a.txt", "b.txt"], header=ONLY_FIRST).rows(), ["row1", "row2"])

    def test_no_line_is_a_header_unless_told(self):
        self.write("rows.csv", "body\na\n")
        for more in ({}, {"header": None}, {"header": False}, {"header": NO_HEADERS}):
            dataset = Dataset.Tabular.from_delimited_files("rows.csv", **more)
            self.assertEqual((dataset.column, dataset.rows()), ("Column1", ["body", "a"]))

    def test_a_request_that_is_left_out_as_the_header_is_told(self):
        self.write("rows.txt", '{"a": 1}\n{"a": 2}\n')
        with self.assertWarnsRegex(UserWarning, "rows.txt: the first line.*header=False keeps it"):
            self.assertEqual(lines("rows.txt", header=True).rows(), ['{"a": 2}'])
        self.write("same.txt", "a b\na b\n")
        with self.assertWarnsRegex(UserWarning, "left out as the header"):
            lines("same.txt", header=True)
        self.write("title.txt", "title\na b\n")
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            lines("title.txt", header=True)

    def test_csv_has_one_column(self):
        self.write("rows.csv", 'body\n"a, ""b"""\nc\n')
        dataset = Dataset.Tabular.from_delimited_files("rows.csv", header=True)
        self.assertEqual((dataset.column, dataset.rows()), ("body", ['a, "b"', "c"]))
        self.write("two.csv", "a,b\n1,2\n")
        with self.assertRaisesRegex(UserErrorException, "line 1: more than one column"):
            Dataset.Tabular.from_delimited_files("two.csv")

    def test_csv_rows_may_hold_line_ends(self):
        self.write("rows.csv", 'body\n"a\nb"\n')
        dataset = Dataset.Tabular.from_delimited_files("rows.csv", support_multi_line=True)
        self.assertEqual(dataset.rows(), ["body", "a\nb"])

    def test_encodings(self):
        self.write("rows.txt", "grün\n".encode("latin-1"))
        self.assertEqual(lines("rows.txt", encoding="iso88591").rows(), ["grün"])
        with self.assertRaisesRegex(UserErrorException, "rows.txt is no utf8"):
            lines("rows.txt")
        with self.assertRaisesRegex(UserErrorException, "encoding: klingon"):
            lines("rows.txt", encoding="klingon")

    def test_what_would_add_a_column_is_refused(self):
        self.write("rows.txt")
        with self.assertRaisesRegex(UserErrorException, "include_path"):
            lines("rows.txt", include_path=True)

    def test_a_file_that_is_not_there_is_named(self):
        with self.assertRaisesRegex(UserErrorException, "no file nothing.txt"):
            lines("nothing.txt")


class DatastoreTest(PackageTest):
    def setUp(self):
        super().setUp()
        self.store = Datastore.get_default(self.workspace)

    def upload(self, *files, **more):
        return self.store.upload_files(list(files), show_progress=False, **more)

    def test_uploaded_files_are_read_by_store_and_path(self):
        self.write("rows.txt", "a\nb\n")
        where = self.upload("./rows.txt", target_path="folder")
        for path in ([(self.store, "folder/rows.txt")], (self.store, "folder"),
                     (self.store, "folder/*.txt"), DataPath(self.store, "folder/rows.txt"), where,
                     self.store.path("**")):
            self.assertEqual(lines(path).rows(), ["a", "b"])
        same = self.workspace.get_default_datastore()
        self.assertEqual(lines((same, "folder")).rows(), ["a", "b"])

    def test_a_file_that_is_there_is_kept_unless_told(self):
        self.write("rows.txt", "old\n")
        self.upload("rows.txt")
        self.write("rows.txt", "new\n")
        self.upload("rows.txt")
        self.assertEqual(lines((self.store, "rows.txt")).rows(), ["old"])
        self.upload("rows.txt", overwrite=True)
        self.assertEqual(lines((self.store, "rows.txt")).rows(), ["new"])

    def test_files_keep_their_folders_below_what_they_share(self):
        self.write("in/a.txt", "a\n")
        self.write("in/deep/b.txt", "b\n")
        self.upload("in/a.txt", "in/deep/b.txt")
        self.assertEqual(lines((self.store, "deep/b.txt")).rows(), ["b"])
        self.store.upload("in", target_path="whole", show_progress=False)
        self.assertEqual(lines((self.store, "whole")).rows(), ["a", "b"])

    def test_nothing_leads_out_of_it(self):
        self.write("rows.txt")
        for target in ("../x", "/x", "a/../../x"):
            with self.subTest(target), self.assertRaisesRegex(UserErrorException, "leads out of"):
                self.upload("rows.txt", target_path=target)
        with self.assertRaisesRegex(UserErrorException, "leads out of"):
            lines((self.store, "../../rows.txt"))

    def test_workspaces_have_their_own(self):
        self.write("rows.txt")
        self.upload("rows.txt")
        other = Datastore.get_default(type(self.workspace)("sub", "group", "other"))
        with self.assertRaisesRegex(UserErrorException, "no file rows.txt in the datastore"):
            lines((other, "rows.txt"))


class RegisterTest(PackageTest):
    def setUp(self):
        super().setUp()
        self.write("rows.txt", "a\nb\nc\n")
        self.dataset = lines("rows.txt")
        self.server.requests.clear()

    def test_rows_go_to_the_server_when_it_is_registered(self):
        self.assertIsNone(self.dataset.id)
        self.assertEqual(self.server.requests, [])
        registered = self.dataset.register(self.workspace, "d", description="mine")
        self.assertEqual((registered.id, registered.version), ("d:1", 1))
        self.assertEqual(self.server.rows["d:1"], ["a", "b", "c"])
        self.assertEqual(registered.description, "mine")

    def test_what_the_server_warns_of_is_passed_on(self):
        self.server.dataset_warnings = [
            {"code": "looksLikeHeader", "message": "it looks like a header", "advice": "say so"}]
        with self.assertWarnsRegex(UserWarning, "^it looks like a header; say so$"):
            self.dataset.register(self.workspace, "d")
        with self.assertWarnsRegex(UserWarning, "looks like a header"):
            self.dataset.registered_in(self.workspace)
        with self.assertWarnsRegex(UserWarning, "looks like a header"):
            self.dataset.registered_in(self.workspace)

    def test_a_name_is_taken_once_unless_a_new_version_is_asked_for(self):
        self.dataset.register(self.workspace, "d")
        with self.assertRaisesRegex(UserErrorException, "already a dataset registered under name"):
            self.dataset.register(self.workspace, "d")
        again = self.dataset.register(self.workspace, "d", create_new_version=True)
        self.assertEqual(again.id, "d:2")

    def test_is_found_by_name_and_id_with_its_rows(self):
        self.dataset.register(self.workspace, "d")
        by_name = Dataset.get_by_name(self.workspace, "d")
        self.assertEqual(by_name.rows(), ["a", "b", "c"])
        self.assertEqual(by_name.take(2).rows(), ["a", "b"])
        self.assertEqual(by_name.skip(2).rows(), ["c"])
        self.assertEqual(Dataset.get_by_name(self.workspace, "d", version=1).id, "d:1")
        self.assertEqual(Dataset.get_by_id(self.workspace, "d:1").name, "d")
        self.assertEqual(list(Dataset.get_all(self.workspace)), ["d"])

    def test_an_unknown_one_is_told(self):
        with self.assertRaisesRegex(UserErrorException, "Cannot find dataset registered with name"):
            Dataset.get_by_name(self.workspace, "nothing")
        with self.assertRaisesRegex(UserErrorException, "Cannot find dataset with id"):
            Dataset.get_by_id(self.workspace, "nothing:1")

    def test_an_empty_one_is_refused_by_the_server(self):
        self.write("empty.txt", "\n\n")
        with self.assertRaisesRegex(UserErrorException, "has no rows\n  /rows: must not be empty"):
            lines("empty.txt").register(self.workspace, "d")

    def test_bytes_survive(self):
        Dataset.Tabular.from_rows([b"\x80", "ä"]).register(self.workspace, "d")
        self.assertEqual(Dataset.get_by_name(self.workspace, "d").rows(), [b"\x80", "ä"])

    def test_deletes_all_versions(self):
        for _ in range(3):
            self.dataset.register(self.workspace, "d", create_new_version=True)
        Dataset.get_by_name(self.workspace, "d").unregister_all_versions()
        self.assertEqual(self.server.datasets, [])

    def test_tags_are_not_kept_and_that_is_said(self):
        with self.assertWarnsRegex(UserWarning, "no tags of datasets"):
            self.dataset.register(self.workspace, "d", tags={"a": "b"})

    def test_is_shown_escaped(self):
        shown = Dataset.Tabular.from_rows(["<script>"])._repr_html_()
        self.assertIn("&lt;script&gt;", shown)
        self.assertNotIn("<script>", shown)


if __name__ == "__main__":
    unittest.main()
