"""Creates, reads, changes, removes and lists records, and meets refusals."""

import json

from crm_sdk import Crm, CrmError, KeyConflict, NotFound, VersionConflict

crm = Crm.from_environment()
told: dict[str, object] = {}

task = crm.with_response(crm.tasks.create, {"title": "Order chairs"})
told["created"] = [task.status, task.meta, len(task.request_id), task.data["version"]]
id = task.data["id"]
told["read"] = crm.tasks.get(id)["title"]
told["updated"] = crm.tasks.update(id, {"expectedVersion": 1, "title": "Chairs"})["version"]
told["changed"] = crm.tasks.change(id, lambda record: {"title": record["title"] + "!"})["title"]
try:
    crm.tasks.update(id, {"expectedVersion": 1, "title": "Tables"})
except VersionConflict as conflict:
    told["conflict"] = [conflict.status, conflict.current_version, conflict.is_retryable]
told["removed"] = crm.tasks.remove(id, expectedVersion=3)["deleted"]
try:
    crm.tasks.get(id)
except NotFound as error:
    told["gone"] = error.code

for number in range(7):
    crm.companies.create({"name": f"Company {number}"}, idempotency_key=f"python-{number}")
told["listed"] = [company["name"] for company in crm.companies.list(limit=3)]
told["pages"] = [len(page.data) for page in crm.companies.list(limit=3).pages()]
told["first"] = len(crm.companies.list(limit=2).first_page().data)
told["found"] = [company["name"] for company in crm.companies.list(search="Company 3", sort="name")]
try:
    crm.companies.create({"name": "Another"}, idempotency_key="python-0")
except KeyConflict as error:
    told["used"] = bool(error.first_used_at)
try:
    crm.companies.list(limit=0).first_page()
except CrmError as error:
    told["malformed"] = [error.code, error.status]

contact = crm.contacts.create({"firstName": "Vera"})
files = {"files": ("offer.txt", b"An offer", "text/plain")}
told["attached"] = [file["name"] for file in crm.contacts.files.attach(contact["id"], files, expectedVersion=1)]
print(json.dumps(told))
