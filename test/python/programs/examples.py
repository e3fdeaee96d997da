"""Runs the examples of docs/python.md as they are printed, and prints what came of them."""

import builtins
import itertools
import json
import re
import sys
from pathlib import Path
from types import SimpleNamespace

from crm_sdk import Crm, FeedStep

page = (Path(__file__).parents[3] / "docs" / "python.md").read_text()
blocks = re.findall(r"^```python\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
crm = Crm.from_environment()
said: list[list[object]] = []


def run(words: str, **names: object) -> dict[str, object]:
    (code,) = [block for block in blocks if words in block]
    names = {"crm": crm, "print": lambda *words: said.append(list(words)), **names}
    exec(code, names)  # noqa: S102
    return names


people = [{"externalId": "a", "firstName": "Anna"}, {"externalId": "b"}]
run("upsert_all", people=people)
run("upsert_all", people=people)
refused = [row for row, _ in said]
[anna] = crm.contacts.list()

person = run("contacts.create(")["person"]
said.clear()
deal = crm.deals.create({"title": "Chairs", "contacts": [{"id": person["id"]}]})
run("deals.list(", crm=SimpleNamespace(contacts=SimpleNamespace(create=lambda body: person), deals=crm.deals))
titles = [title for title, _ in said]

run(".change(", id=person["id"])
before = crm.changes.cursor()["cursor"]
crm.contacts.create({"firstName": "Boris"})
said.clear()
reads = []


def follow(stored):
    yield from itertools.islice(crm.changes.follow(stored), 1)
    yield FeedStep([], "later", {})


names = run(
    ".follow(",
    stored=before,
    crm=SimpleNamespace(changes=SimpleNamespace(follow=follow)),
    read_everything=lambda: reads.append(1),
)

message = json.loads(sys.argv[1])
request = SimpleNamespace(get_data=message["body"].encode, headers=message["headers"])
verified = run("import verify", request=request, secrets=message["secrets"])["message"]
told = {
    "refused": refused,
    "anna": [anna["externalId"], anna["version"]],
    "titles": titles,
    "changed": crm.contacts.get(person["id"])["description"],
    "followed": [kind for kind, _ in said],
    "stored": names["stored"],
    "reads": len(reads),
    "verified": verified["type"],
    "blocks": len(blocks),
}
builtins.print(json.dumps(told))
