"""What the scenarios cannot say: what is refused before it is sent, secrets, the real clock, and threads."""

import datetime
import decimal
import logging
import pickle
import threading
import time
import traceback
import unittest
from collections.abc import Callable, Iterator
from typing import Any
from unittest.mock import patch

import httpx

from crm_sdk import ConnectionLost, Crm, CrmError, LogEntry, NotFound, RateLimited, TimedOut, VersionConflict, __version__
from crm_sdk.core.json_text import canonical, json_text
from crm_sdk.flows.chunks import chunks_of
from crm_sdk.webhooks import VerificationFailed, verify

from .scenario_time import ScenarioClock
from .scripted_server import ScriptedServer
from .trickling_server import ANSWER_WITHOUT_END, TricklingServer

FOUND: dict[str, Any] = {"answer": {"status": 200, "json": {"data": {"id": "c1"}, "meta": {}}}}
REFUSED: dict[str, Any] = {"answer": {"status": 404, "json": {"error": {"code": "not_found", "message": "No."}}}}
LOST: dict[str, Any] = {"fault": "close"}
LIMITED: dict[str, Any] = {"answer": {"status": 429, "headers": {"retry-after": "30"}, "json": {"error": {"code": "rate_limit_exceeded"}}}}


class Offline(httpx.BaseTransport):
    """Answers each batch, and remembers how many were under way at once."""

    def __init__(self) -> None:
        self.keys: list[str] = []
        self.most = self._now = 0
        self._lock = threading.Lock()
        self.together = threading.Barrier(4)

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        with self._lock:
            self.keys.append(request.headers["idempotency-key"])
            self._now += 1
            self.most = max(self.most, self._now)
        if not self.together.broken:
            self.together.wait(10)
        with self._lock:
            self._now -= 1
        return httpx.Response(200, json={"data": [{"status": 201, "data": {}}] * 100, "meta": {}})


class Refused(unittest.TestCase):
    def test_options_with_which_no_call_can_succeed_are_refused(self) -> None:
        good: dict[str, Any] = {"url": "https://crm.example", "token": "secret-token"}
        for wrong in (
            {"url": "ftp://crm.example"},
            {"url": "https://user:word@crm.example"},
            {"url": "https://crm.example/?a=b"},
            {"url": "crm.example"},
            {"token": ""},
            {"token": "two\nlines"},
            {"timeout": 0},
            {"deadline": float("nan")},
            {"attempts": -1},
        ):
            with self.subTest(wrong), self.assertRaises(TypeError) as raised:
                Crm(**{**good, **wrong})
            self.assertNotIn("lines", str(raised.exception))

    def test_a_part_of_the_path_that_would_lead_elsewhere_is_refused(self) -> None:
        with ScriptedServer([]) as server, Crm(server.url, "t") as crm:
            for id in ("", ".", ".."):
                with self.assertRaises(TypeError):
                    crm.contacts.get(id)
            self.assertEqual(server.received, [])

    def test_a_key_that_the_api_refuses_is_not_sent(self) -> None:
        with ScriptedServer([]) as server, Crm(server.url, "t") as crm:
            for key in ("", "two words", "ä", "x" * 256):
                with self.assertRaisesRegex(TypeError, "1 to 255"):
                    crm.contacts.create({}, idempotency_key=key)
            self.assertEqual(server.received, [])

    def test_rows_that_are_no_objects_or_bring_versions_to_overwrite_are_refused(self) -> None:
        crm = Crm("https://crm.example", "t", transport=Offline())
        wrong_rows: Any = ([["a"]], [{"externalId": "a", "expectedVersion": 1}], [{"externalId": {1}}])
        for rows in wrong_rows:
            with self.assertRaises(TypeError):
                next(crm.contacts.upsert_all(rows, run="erp"))
        for wrong in ({"run": ""}, {"run": "a b"}, {"run": "a", "concurrency": 17}):
            with self.assertRaises(ValueError):
                crm.contacts.upsert_all([], **wrong)

    def test_the_environment_names_server_and_token(self) -> None:
        with patch.dict("os.environ", {"CRM_URL": "https://crm.example", "CRM_TOKEN": ""}), self.assertRaises(TypeError):
            Crm.from_environment()
        with patch.dict("os.environ", {"CRM_URL": "https://crm.example/", "CRM_TOKEN": "secret-token"}):
            self.assertEqual(repr(Crm.from_environment()), "Crm('https://crm.example')")


class Called(unittest.TestCase):
    def test_neither_the_client_nor_its_log_nor_its_errors_show_the_token_or_a_body(self) -> None:
        entries: list[LogEntry] = []
        exchanges = [LOST, REFUSED, LOST]
        with ScriptedServer(exchanges) as server, self.assertLogs(level=logging.DEBUG) as logged:
            with Crm(server.url, "secret-token", clock=ScenarioClock(), log=entries.append) as crm:
                with self.assertRaises(NotFound) as refused:
                    crm.contacts.create({"firstName": "Ada"})
                with self.assertRaises(ConnectionLost) as lost:
                    Crm(server.url, "secret-token", attempts=1).contacts.create({"firstName": "Ada"})
        self.assertEqual([entry.status for entry in entries], [0, 404])
        self.assertIsNone(lost.exception.__context__)
        said = [repr(crm), *map(repr, entries), *logged.output]
        for error in (refused.exception, lost.exception):
            said += [repr(error), repr(vars(error))]
        self.assertNotRegex("".join(said), "secret-token|Ada")

    def test_no_frame_of_a_call_that_cannot_be_sent_has_the_token(self) -> None:
        crm = Crm("https://crm.example", "secret-token")
        body: Any = {"firstName": object()}
        calls: list[Callable[[], Any]] = [
            lambda: crm.contacts.create(body),
            lambda: crm.contacts.create({}, idempotency_key="two words"),
        ]
        for call in calls:
            try:
                call()
            except TypeError as error:
                frames = [frame for frame, _ in traceback.walk_tb(error.__traceback__)][2:]
                self.assertGreater(len(frames), 2)
                self.assertNotIn("secret-token", "".join(repr(frame.f_locals) for frame in frames))
            else:
                self.fail("it was sent")

    def test_headers_of_a_caller_do_not_replace_those_of_the_client(self) -> None:
        with ScriptedServer([FOUND]) as server, Crm(server.url, "t") as crm:
            given = {"Authorization": "Bearer other", "User-Agent": "x", "Accept": "x", "traceparent": "00-1"}
            crm.contacts.get("c1", headers=given)
            sent = server.received[0].headers
        self.assertEqual((sent["authorization"], sent["accept"], sent["traceparent"]), ("Bearer t", "application/json", "00-1"))
        self.assertRegex(sent["user-agent"], "^crm-sdk-python/")

    def test_the_client_names_itself_with_its_version(self) -> None:
        with ScriptedServer([FOUND]) as server, Crm(server.url, "t") as crm:
            crm.contacts.get("c1")
            self.assertRegex(server.received[0].headers["user-agent"], rf"^crm-sdk-python/{__version__} \(python/3\.\d+\)$")

    def test_the_real_clock_ends_an_attempt_without_an_answer(self) -> None:
        held = threading.Event()
        server = ScriptedServer([])
        with server, patch.object(server, "serve", lambda request: held.wait(30)):
            with Crm(server.url, "t", timeout=0.05, attempts=2, jitter=lambda: 0.001) as crm, self.assertRaises(TimedOut):
                crm.contacts.get("c1")
            held.set()

    def test_a_time_that_no_wait_can_have_is_refused(self) -> None:
        with ScriptedServer([]) as server, Crm(server.url, "t") as crm:
            for seconds in (0, -1, float("nan"), float("inf")):
                with self.assertRaisesRegex(TypeError, "timeout"):
                    crm.contacts.get("c1", timeout=seconds)
                with self.assertRaisesRegex(TypeError, "deadline"):
                    Crm(server.url, "t", deadline=seconds)
            self.assertEqual(server.received, [])

    def test_a_wait_that_ends_after_the_deadline_is_followed_by_the_failure(self) -> None:
        class Oversleeping(ScenarioClock):
            def sleep(self, seconds: float, stop: threading.Event) -> None:
                super().sleep(100, stop)

        with ScriptedServer([LOST]) as server, Crm(server.url, "t", clock=Oversleeping()) as crm:
            with self.assertRaises(ConnectionLost):
                crm.contacts.get("c1")
            self.assertEqual(len(server.received), 1)

    def test_an_attempt_ends_in_time_though_bytes_trickle_in(self) -> None:
        for head in (b"HTTP/1.1 200 OK\r\nx-slow: ", b"HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\nx: ", ANSWER_WITHOUT_END):
            with self.subTest(head), TricklingServer(head) as server:
                with Crm(server.url, "t", timeout=0.3, attempts=1) as crm, self.assertRaises(TimedOut):
                    crm.contacts.get("c1")
                self.assertTrue(server.was_left.wait(30))

    def test_a_wait_ends_when_the_caller_stops_it(self) -> None:
        stop = threading.Event()
        with ScriptedServer([LIMITED]) as server, Crm(server.url, "t") as crm:
            with self.assertRaises(RateLimited):
                crm.contacts.get("c1", stop=stop, on_retry=lambda error, seconds: stop.set())

    def test_an_answer_has_what_came_with_it_only_where_there_is_one(self) -> None:
        with ScriptedServer([FOUND]) as server, Crm(server.url, "t") as crm:
            self.assertEqual(crm.with_response(crm.contacts.get, "c1").status, 200)
            with self.assertRaises(TypeError):
                crm.with_response(crm.contacts.list, limit=1)

    def test_errors_pass_from_one_process_to_another(self) -> None:
        error = VersionConflict("No.", code="version_conflict", status=409, details={"currentVersion": 3})
        copy = pickle.loads(pickle.dumps(error))  # noqa: S301
        self.assertEqual((type(copy), str(copy), copy.current_version), (VersionConflict, "No.", 3))


class Flows(unittest.TestCase):
    def test_four_batches_are_under_way_at_once_and_rows_are_read_as_they_are_needed(self) -> None:
        read = 0

        def rows() -> Iterator[Any]:
            nonlocal read
            for read in range(100_000):
                yield {"externalId": str(read)}

        offline = Offline()
        crm = Crm("https://crm.example", "t", transport=offline)
        results = crm.contacts.upsert_all(rows(), run="erp")
        first = next(results)
        results.close()  # type: ignore[attr-defined]
        self.assertEqual((first.index, offline.most), (0, 4))
        self.assertLess(read, 1000)
        offline.together.abort()

    def test_batches_with_the_same_record_are_not_under_way_together(self) -> None:
        offline = Offline()
        offline.together.abort()
        crm = Crm("https://crm.example", "t", transport=offline)
        rows: Any = [{"externalId": str(number % 100)} for number in range(400)]
        self.assertEqual([result.index for result in crm.contacts.upsert_all(rows, run="erp")], list(range(400)))
        self.assertEqual(offline.most, 1)
        self.assertEqual(sorted(offline.keys), offline.keys)

    def test_a_limit_halves_the_batches_under_way_and_a_long_one_ends_the_run(self) -> None:
        clock = ScenarioClock()
        limited = {"answer": {**LIMITED["answer"], "headers": {"retry-after": "121"}}}
        with ScriptedServer([LIMITED, LIMITED, limited]) as server, Crm(server.url, "t", clock=clock) as crm:
            with self.assertRaises(RateLimited) as raised:
                next(crm.contacts.upsert_all([{"externalId": "a"}], run="erp"))
        self.assertEqual(raised.exception.retry_after, 121)
        self.assertGreaterEqual(clock.passed, 60)

    def test_a_chunk_has_a_hundred_rows_or_four_megabytes_and_each_key_once(self) -> None:
        big = {"description": "x" * 1_500_000}
        self.assertEqual([len(chunk.rows) for chunk in chunks_of([big, big, big])], [2, 1])
        keys: list[Any] = ["a", "b", "a", "a", "c", 7, 7, "b"]
        self.assertEqual([chunk.start for chunk in chunks_of([{"externalId": key} for key in keys])], [0, 2, 3])
        self.assertEqual([chunk.start for chunk in chunks_of([{"a": 1}] * 201)], [0, 100, 200])

    def test_a_loop_over_the_feed_ends_when_it_is_stopped(self) -> None:
        stop = threading.Event()
        cursor = {"answer": {"status": 200, "json": {"data": {"cursor": "c1"}, "meta": {}}}}
        with ScriptedServer([cursor]) as server, Crm(server.url, "t") as crm:
            for step in crm.changes.follow(None, stop=stop):
                self.assertEqual(step.cursor, "c1")
                stop.set()
            self.assertEqual(len(server.received), 1)

    def test_a_loop_over_the_feed_ends_without_a_failure_when_it_is_stopped_while_the_server_restarts(self) -> None:
        cursor = {"answer": {"status": 200, "json": {"data": {"cursor": "c1"}, "meta": {}}}}
        restarting = {"answer": {"status": 503, "json": {"error": {"code": "unavailable"}}}}
        for stopped_at in (1, 5):
            stop = threading.Event()
            entries: list[LogEntry] = []

            def log(entry: LogEntry, told: list[LogEntry] = entries, at: int = stopped_at, stop: threading.Event = stop) -> None:
                told.append(entry)
                if len([one for one in told if one.status == 503]) == at:
                    stop.set()

            with ScriptedServer([cursor, *[restarting] * 5]) as server, Crm(server.url, "t", clock=ScenarioClock(), log=log) as crm:
                self.assertEqual([step.cursor for step in crm.changes.follow(None, stop=stop)], ["c1"])
                self.assertEqual(len(server.received), 1 + stopped_at)

    def test_a_refusal_ends_a_loop_that_is_stopped_with_that_failure(self) -> None:
        stop = threading.Event()
        with ScriptedServer([REFUSED]) as server, Crm(server.url, "t", log=lambda _: stop.set()) as crm:
            with self.assertRaises(NotFound):
                next(crm.changes.follow("c1", stop=stop))

    def test_a_loop_to_the_end_of_the_feed_asks_for_no_wait(self) -> None:
        def page(start: int, has_more: bool) -> dict[str, Any]:
            covered = {"fromSeq": start, "toSeq": start + 1, "matched": 1, "filtered": 0}
            meta = {"nextCursor": f"c{start + 1}", "hasMore": has_more, "range": covered}
            return {"answer": {"status": 200, "json": {"data": [{"seq": start + 1}], "meta": meta}}}

        with ScriptedServer([page(0, True), page(1, False)]) as server, Crm(server.url, "t") as crm:
            self.assertEqual([step.cursor for step in crm.changes.follow("c0", to_end=True)], ["c1", "c2"])
            self.assertNotIn("wait", "".join(request.target for request in server.received))

    def test_a_failure_before_the_first_answer_ends_the_loop(self) -> None:
        with ScriptedServer([]) as server, Crm(server.url, "t", clock=ScenarioClock()) as crm, self.assertRaises(CrmError):
            next(crm.changes.follow("c1"))
        with self.assertRaises(ValueError):
            crm.changes.follow("c1", wait=31)


class Webhooks(unittest.TestCase):
    def test_headers_and_bodies_that_no_server_can_send_are_not_genuine(self) -> None:
        good = {"webhook-id": "chg_1", "webhook-timestamp": str(int(time.time())), "webhook-signature": "v1,aaaa"}
        for wrong in (
            {"webhook-id": "\udcff"},
            {"webhook-signature": "v1,\udcff"},
            {"webhook-signature": "v1,ä"},
        ):
            with self.subTest(wrong), self.assertRaises(VerificationFailed):
                verify(b"{}", {**good, **wrong}, "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
        with self.assertRaises(VerificationFailed):
            verify("\udcff", good, "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
        with self.assertRaisesRegex(TypeError, "whsec_"):
            verify(b"{}", good, "whsec_ä")


class Texts(unittest.TestCase):
    def test_times_decimals_and_numbers_are_sent_as_the_api_has_them(self) -> None:
        moment = datetime.datetime(2026, 1, 31, 9, 15, tzinfo=datetime.timezone.utc)
        row = {"b": moment, "a": decimal.Decimal("149.00"), "c": [2.0, 1e-7, 1e21, 1.25, -0.0, 123456.789e3], "day": moment.date()}
        expected = '{"b":"2026-01-31T09:15:00+00:00","a":"149.00","c":[2,1e-7,1e+21,1.25,0,123456789],"day":"2026-01-31"}'
        self.assertEqual(json_text(row), expected)
        self.assertTrue(canonical(row).startswith('{"a":"149.00","b":'))

    def test_numbers_are_exact_whatever_the_program_has_chosen_for_decimals(self) -> None:
        class Shown(float):
            def __repr__(self) -> str:
                return f"np.float64({float(self)})"

        with decimal.localcontext(decimal.Context(prec=6, traps=[decimal.Inexact])):
            self.assertEqual(json_text([1234567.89, 1e-7, Shown(1.5)]), "[1234567.89,1e-7,1.5]")

    def test_what_json_does_not_have_is_refused(self) -> None:
        for wrong in (float("nan"), {1: 2}, {"a": object()}, b"bytes"):
            with self.assertRaises(TypeError):
                json_text(wrong)


if __name__ == "__main__":
    unittest.main()
