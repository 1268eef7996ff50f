"""Device traces; run by test_routes."""

import concurrent.futures
import pathlib

from routes_case import RoutesCase

TRACES = pathlib.Path(__file__).resolve().parents[1] / "fixtures/device_traces"
OCTETS = {"Content-Type": "application/octet-stream"}


def varint(value):
    out = b""
    while value >= 0x80:
        out += bytes([value & 0x7F | 0x80])
        value >>= 7
    return out + bytes([value])


class CapturesTest(RoutesCase):
    def test_a_trace_is_kept_and_looked_at(self):
        trace = (TRACES / "tpu_synth_flow.xplane.pb").read_bytes()
        made = self.ask(201, "POST", "/captures", trace, OCTETS)
        capture = made.json
        self.assertEqual(made.headers["Location"], f"/captures/{capture['id']}")
        self.assertEqual(capture["eventCount"], 190)
        self.assertEqual(self.ask(201, "POST", "/captures", trace, OCTETS).json["id"], capture["id"])
        self.assertEqual(self.ask(200, "GET", f"/captures/{capture['id']}").json, capture)
        for tool in capture["tools"]:
            with self.subTest(tool=tool):
                self.ask(200, "GET", f"/captures/{capture['id']}/tools/{tool}")
        page = self.ask(200, "GET", f"/captures/{capture['id']}/tools/overview_page").json
        self.assertEqual(page["environment"]["deviceType"], "TPU v5 Lite")
        self.assertEqual(page["steps"]["count"], 10)
        profile = f"/captures/{capture['id']}/tools/op_profile"
        by = self.ask(200, "GET", f"{profile}?groupBy=category&sort=flops&top=2&idle=false").json
        self.assertEqual(by["root"]["name"], "by_category")
        self.assertEqual(len(by["root"]["children"]), 2)
        self.ask(204, "DELETE", f"/captures/{capture['id']}")
        self.ask(404, "GET", f"/captures/{capture['id']}")

    def test_what_cannot_be_looked_at_is_told(self):
        trace = (TRACES / "jax_cpu.xplane.pb").read_bytes()
        capture = self.ask(201, "POST", "/captures", trace, OCTETS).json["id"]
        tools = f"/captures/{capture}/tools"
        self.ask(404, "GET", f"{tools}/pod_viewer")
        self.ask(404, "GET", f"{tools}/memory_viewer?module=jit_nothing(1)")
        bad = self.ask(400, "GET", f"{tools}/op_profile?groupBy=colour&top=0")
        self.assertEqual(self.pointers(bad), ["/groupBy", "/top"])
        self.assertEqual(self.pointers(self.ask(
            400, "GET", f"{tools}/trace_viewer?fromMs=5&toMs=4")), ["/toMs"])
        self.assertEqual(self.pointers(self.ask(
            400, "GET", f"{tools}/hlo_stats?row=-1&slowestPercent=101")),
            ["/row", "/slowestPercent"])
        self.assertEqual(self.pointers(self.ask(
            400, "GET", f"{tools}/hlo_stats?row=1&slowestPercent=1")), ["/slowestPercent"])
        # Nobody knows when which row was under way.
        for asked in ("rows", "hlo_stats?row=1", "trace_viewer?slowestPercent=1"):
            self.ask(409, "GET", f"{tools}/{asked}")
        self.ask(204, "DELETE", f"/captures/{capture}")

    def test_one_trace_is_read_at_a_time_and_nobody_waits_for_it(self):
        # Two million events of no name take some tenths of a second.
        events = b"\x22\x00" * 2_000_000
        line = b"\x1a" + varint(len(events)) + events
        plane = b"\x12\x09/host:CPU" + line
        trace = b"\x0a" + varint(len(plane)) + plane
        capture = self.ask(201, "POST", "/captures", trace, OCTETS).json["id"]
        path = f"/captures/{capture}/tools/input_pipeline_analyzer"
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            answers = list(pool.map(lambda _: self.server.ask("GET", path), range(4)))
        self.assertIn(200, [answer.status for answer in answers])
        busy = [answer for answer in answers if answer.status == 503]
        self.assertTrue(busy)
        for answer in busy:
            self.assertEqual(answer.headers["Retry-After"], "5")
        self.ask(204, "DELETE", f"/captures/{capture}")

    def test_what_is_no_trace_is_not_kept(self):
        trace = (TRACES / "tpu_synth_flow.xplane.pb").read_bytes()
        for name, body in [("empty", b""), ("text", b"hello, this is no trace"),
                           ("cut", trace[:-5])]:
            with self.subTest(name=name):
                self.ask(400, "POST", "/captures", body, OCTETS)
        self.ask(415, "POST", "/captures", trace, {"Content-Type": "text/plain"})

    def test_a_trace_is_taken_from_a_program_that_runs(self):
        address = self.server.profilers["running"]
        made = self.ask(201, "POST", "/captures", {"address": address, "durationSeconds": 0.1})
        self.assertEqual(made.json["eventCount"], 190)
        self.assertEqual(made.headers["Location"], f"/captures/{made.json['id']}")
        page = self.ask(200, "GET", f"/captures/{made.json['id']}/tools/overview_page").json
        self.assertEqual(page["steps"]["count"], 10)
        self.ask(204, "DELETE", f"/captures/{made.json['id']}")

    def test_no_trace_is_taken_where_that_is_not_allowed_or_not_possible(self):
        for address in ("127.0.0.1:9", "localhost:9012", "169.254.169.254:80"):
            refused = self.ask(403, "POST", "/captures", {"address": address})
            self.assertIn(f"--capture-address {address}", refused.json["detail"])
        busy = self.ask(409, "POST", "/captures", {"address": self.server.profilers["busy"]})
        self.assertIn("another profile runs", busy.json["detail"])
        for body, pointers in [({}, ["/address"]), ({"address": "nowhere"}, ["/address"]),
                               ({"address": 5, "durationSeconds": 0},
                                ["/address", "/durationSeconds"]),
                               ({"address": self.server.profilers["running"], "x": 1}, ["/x"])]:
            with self.subTest(body=body):
                self.assertEqual(self.pointers(self.ask(400, "POST", "/captures", body)), pointers)
        self.ask(413, "POST", "/captures", {"address": "a" * (65 << 10)})
