"""Loads a CRM into the tables of a warehouse: all records at first, and later what has changed since."""

import os
from collections.abc import Iterator
from typing import Any

import dlt
from dlt.sources.rest_api import rest_api_resources

from crm_sdk import Crm, Gone

TABLES = {"contact": "contacts", "company": "companies", "deal": "deals", "task": "tasks"}


def load(pipeline: dlt.Pipeline, url: str, token: str) -> str:
    """Brings the tables up to now, and returns what it did: `everything` or `changes`. If it dies, the next run does its work."""
    with Crm(url, token) as crm:
        # What a run that died has left would be loaded instead of what is asked for.
        pipeline.abort_packages()
        pipeline.sync_destination()
        cursor = pipeline.state.get("sources", {}).get("crm", {}).get("cursor")
        if cursor is not None and is_kept(crm, cursor):
            pipeline.run(changes(crm, cursor))
            return "changes"
        # The cursor comes first: what changes while the lists are read comes again as a change.
        pipeline.run(everything(url, token, crm.changes.cursor()["cursor"]))
        return "everything"


def is_kept(crm: Crm, cursor: str) -> bool:
    """Whether the feed still has the events after a cursor. Without them, nobody knows which records are gone."""
    try:
        crm.changes.list(after=cursor, limit=1)
    except Gone:
        return False
    return True


@dlt.source(name="crm", max_table_nesting=0)
def everything(url: str, token: str, cursor: str) -> Any:
    """Replaces the tables by all records."""

    @dlt.resource
    def position() -> Iterator[Any]:
        dlt.current.source_state()["cursor"] = cursor
        yield from ()

    lists = rest_api_resources(
        {
            "client": {
                "base_url": f"{url.rstrip('/')}/api/v1/crm/",
                "auth": {"type": "bearer", "token": token},
                "paginator": {"type": "cursor", "cursor_path": "meta.nextCursor", "cursor_param": "cursor"},
            },
            "resource_defaults": {
                "primary_key": "id",
                "write_disposition": "replace",
                "endpoint": {"params": {"limit": 100}, "data_selector": "data"},
            },
            "resources": list(TABLES.values()),
        }
    )
    return [*lists, position]


@dlt.source(name="crm", max_table_nesting=0)
def changes(crm: Crm, cursor: str) -> Any:
    """Merges the records that have changed after a cursor by their ids, and deletes those that are gone."""

    @dlt.resource(selected=False)
    def events() -> Iterator[Any]:
        state = dlt.current.source_state()
        for step in crm.changes.follow(cursor, include=["record"], resourceTypes=list(TABLES), to_end=True):
            if step.reset is not None:
                raise RuntimeError("the feed no longer has all events: run it again, and it loads everything")
            yield step.events
            state["cursor"] = step.cursor

    return [rows_of(kind, events) for kind in TABLES]


def rows_of(kind: str, events: Any) -> Any:
    """The table of a kind of records. It has the name that it has in `everything`, so that both write one table."""

    @dlt.transformer(
        data_from=events,
        name=TABLES[kind],
        write_disposition="merge",
        primary_key="id",
        columns={
            # Of two events about a record in one load, the later one counts.
            "_seq": {"data_type": "bigint", "dedup_sort": "desc"},
            "_deleted": {"data_type": "bool", "hard_delete": True},
        },
    )
    def rows(page: Any) -> Iterator[Any]:
        for event in page:
            if event["resourceType"] == kind:
                record = event["record"] or {"id": event["resourceId"]}
                yield {**record, "_seq": event["seq"], "_deleted": event["record"] is None}

    return rows


if __name__ == "__main__":
    warehouse = dlt.pipeline("crm", destination="duckdb", dataset_name="crm_data")
    print("loaded", load(warehouse, os.environ["CRM_URL"], os.environ["CRM_TOKEN"]))
