"""Writes as many people as it is told in the run that it is told, and prints what became of them."""

import collections
import json
import sys

from crm_sdk import Crm

count, run = int(sys.argv[1]), sys.argv[2]
people = ({"externalId": f"person-{at}", "firstName": "Anna", "lastName": f"No {at}"} for at in range(count))
retries = []
with Crm.from_environment(jitter=lambda: 0, log=lambda entry: retries.append(entry.retry_in is not None)) as crm:
    results = list(crm.contacts.upsert_all(people, run=run))
assert [result.index for result in results] == list(range(count))
became = collections.Counter(
    f"{result.status} {result.is_replay}" if result.error is None else result.error.code for result in results
)
print(json.dumps({"became": became, "retries": sum(retries)}))
