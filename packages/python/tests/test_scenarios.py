"""Plays the scenarios of packages/sdk/scenarios, which its README.md explains. Clients of all languages play the same."""

import dataclasses
import json
import re
import unittest
from itertools import islice
from pathlib import Path
from typing import Any
from unittest.mock import patch

from crm_sdk import Crm, CrmError, Page, UpsertResult, webhooks

from .scenario_time import HastyTransport, ScenarioClock
from .scripted_server import Received, ScriptedServer

FOLDER = Path(__file__).parents[2] / "sdk" / "scenarios"
TOKEN = "crm_scenario"  # noqa: S105
SECONDS = {"timeout", "deadline", "retryIn"}


def snake(name: str) -> str:
    return re.sub("[A-Z]", lambda letter: "_" + letter[0].lower(), name)


def camel(name: str) -> str:
    return re.sub("_([a-z])", lambda letter: letter[1].upper(), name)


def expand(value: Any) -> Any:
    """Writes out each element of a list that stands for many."""
    if isinstance(value, list):
        return [one for element in value for one in elements_of(element)]
    return {name: expand(member) for name, member in value.items()} if isinstance(value, dict) else value


def elements_of(element: Any) -> list[Any]:
    if not isinstance(element, dict) or "$repeat" not in element:
        return [expand(element)]
    text, first = json.dumps(element["of"]), element["first"]
    numbers = range(first, first + element["$repeat"])
    return [json.loads(text.replace('"$n"', str(number)).replace("$n", str(number))) for number in numbers]


def in_seconds(options: dict[str, Any]) -> dict[str, Any]:
    return {name: value / 1000 if name in SECONDS and value is not None else value for name, value in options.items()}


class Scenarios(unittest.TestCase):
    maxDiff = None

    def play(self, scenario: dict[str, Any]) -> None:
        options = in_seconds(scenario.get("client", {}))
        folder = options.pop("folder", "")
        clock = ScenarioClock()
        entries: list[dict[str, Any]] = []
        with (
            ScriptedServer(scenario["exchanges"]) as server,
            patch("time.time", lambda: scenario["now"]) if "now" in scenario else patch.dict({}),
            Crm(
                server.url + folder,
                TOKEN,
                clock=clock,
                transport=HastyTransport(server, clock),
                log=lambda entry: entries.append(dataclasses.asdict(entry)),
                **{snake(name): value for name, value in options.items()},
            ) as crm,
        ):
            for call in scenario["calls"]:
                self.check(crm, call)
        self.compare_all(server.received, [exchange["request"] for exchange in scenario["exchanges"]])
        pauses = scenario.get("pauses", [])
        self.assertEqual(len(clock.pauses), len(pauses))
        for pause, (least, most) in zip(clock.pauses, pauses, strict=True):
            self.assertTrue(least <= pause * 1000 <= most, f"{pause} is not between {least} and {most}")
        if "log" in scenario:
            self.assertEqual(len(entries), len(scenario["log"]))
            for entry, expected in zip(entries, scenario["log"], strict=True):
                named = {snake(name): value for name, value in in_seconds(expected).items()}
                self.assertEqual({name: entry[name] for name in named}, named)

    def check(self, crm: Crm, call: dict[str, Any]) -> None:
        error = call.get("error")
        if error is None:
            self.assertEqual(self.perform(crm, call), call.get("result"))
            return
        with self.assertRaises((CrmError, webhooks.VerificationFailed, TypeError)) as raised:
            self.perform(crm, call)
        found = {"class": type(raised.exception).__name__}
        for name in error.keys() - {"class"}:
            found[name] = getattr(raised.exception, snake(name))
        self.assertEqual(found, error)

    def perform(self, crm: Crm, call: dict[str, Any]) -> Any:
        resource: Any = webhooks if call["resource"] == "$webhooks" else crm
        if resource is crm:
            for name in call["resource"].split("."):
                resource = getattr(resource, snake(name))
        method = getattr(resource, snake(call["method"]))
        places, named = self.arguments(call)
        manner = call.get("as", "data")
        if manner == "response":
            whole = crm.with_response(method, *places, **named)
            return {"data": whole.data, "meta": whole.meta, "requestId": whole.request_id, "status": whole.status}
        answer = method(*places, **named)
        if manner == "page":
            return shown(answer.first_page())
        if manner in ("pages", "items"):
            all_ = answer.pages() if manner == "pages" else answer
            return [shown(one) for one in islice(all_, call.get("take"))]
        return answer

    def arguments(self, call: dict[str, Any]) -> tuple[list[Any], dict[str, Any]]:
        """Path parameters and bodies have places; the query and the options have names, those of options in snake case."""
        places: list[Any] = []
        named: dict[str, Any] = {}
        takes_body = call["method"] in ("create", "update", "upsert", "attach", "batchGet", "verify", "upsertAll", "change")
        for argument in call["arguments"]:
            if not isinstance(argument, dict) or call["resource"] == "$webhooks":
                places.append(argument)
            elif "$patch" in argument:
                places.append(lambda _, patch=argument["$patch"]: patch)
            elif "$form" in argument:
                form = argument["$form"]
                places.append({name: (part["name"], part["text"].encode(), part["type"]) for name, part in form.items()})
            elif takes_body and call["method"] != "upsertAll" and not any(isinstance(place, dict) for place in places):
                places.append(argument)
            else:
                options = {"idempotencyKey", "headers"}
                named |= {snake(name) if name in options else name: value for name, value in argument.items()}
        return places, named

    def compare_all(self, received: list[Received], expected: list[dict[str, Any]]) -> None:
        self.assertEqual(
            [(request.method, parts_of(request.target)) for request in received],
            [(request["method"], parts_of(request["target"])) for request in expected],
        )
        named = {"$token": TOKEN}
        for request, wanted in zip(received, expected, strict=True):
            for name, value in wanted.get("headers", {}).items():
                sent = request.headers.get(name)
                word = re.search(r"\$\w+", value or "")
                if word is not None and sent is not None:
                    value = value.replace(word[0], named.setdefault(word[0], sent))
                self.assertEqual((name, sent), (name, value))
            if "json" in wanted:
                self.assertEqual(json.loads(request.body), wanted["json"])
            for field, part in wanted.get("form", {}).items():
                head = f'Content-Disposition: form-data; name="{field}"; filename="{part["name"]}"\r\nContent-Type: {part["type"]}\r\n'
                self.assertIn(f"{head}\r\n{part['text']}\r\n--".encode(), request.body)
        self.assertEqual(len(set(named.values())), len(named))


def parts_of(target: str) -> tuple[str, list[str]]:
    """The path, and the parameters by their names: methods name them, so their order is that of the document."""
    path, _, query = target.partition("?")
    return path, sorted(query.split("&"), key=lambda parameter: parameter.partition("=")[0])


def shown(one: Any) -> Any:
    if not dataclasses.is_dataclass(one) or isinstance(one, type):
        return one
    members = {camel(name): value for name, value in dataclasses.asdict(one).items()}
    if isinstance(one, Page):
        return members
    if isinstance(one, UpsertResult):
        has_current = one.error is not None and one.error.code == "decided_before"
        left_out = ["error"] if one.error is None else ["record"]
        left_out += [] if has_current else ["current"]
        return {name: value for name, value in members.items() if name not in left_out}
    return members


def load_tests(loader: unittest.TestLoader, tests: unittest.TestSuite, pattern: str | None) -> unittest.TestSuite:
    suite = unittest.TestSuite()
    for file in sorted(FOLDER.glob("*.json")):
        for scenario in expand(json.loads(file.read_text())):

            class Scenario(Scenarios):
                described = scenario

                def runTest(self) -> None:
                    self.play(self.described)

                def __str__(self) -> str:
                    return f"{self.described['title']}"

            suite.addTest(Scenario())
    return suite
