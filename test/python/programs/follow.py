"""Keeps a copy of the contacts, creates three more as soon as it is complete, and prints the names in it when these are there."""

import json
import threading

from crm_sdk import Crm

crm = Crm.from_environment(jitter=lambda: 0)
copy, stop, seqs = {}, threading.Event(), []


class Store:
    def __init__(self):
        self.cursor = None

    def read(self):
        return self.cursor

    def write(self, cursor):
        if self.cursor is None:
            for name in ("Boris", "Clara", "Dora"):
                crm.contacts.create({"firstName": name})
        self.cursor = cursor
        if len(seqs) == 3:
            stop.set()


def load():
    copy.update({contact["id"]: contact["displayName"] for contact in crm.contacts.list(limit=100)})


def apply(events, cursor):
    for event in events:
        seqs.append(event["seq"])
        copy[event["resourceId"]] = crm.contacts.get(event["resourceId"])["displayName"]


crm.synchronize(load=load, apply=apply, store=Store(), stop=stop)
print(json.dumps([sorted(copy.values()), [seq - seqs[0] for seq in seqs]]))
