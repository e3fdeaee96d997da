"""Runs the example of dlt into a database of DuckDB, and prints what it did and what the tables then have. If it is given a step of dlt, such
as `normalize`, it dies when that begins."""

import json
import os
import sys
from pathlib import Path

import dlt

sys.path.insert(0, str(Path(__file__).parents[3] / "examples" / "dlt"))
from crm_to_tables import load  # noqa: E402

folder, state = Path(sys.argv[1]), sys.argv[2]
pipeline = dlt.pipeline(
    "crm",
    pipelines_dir=str(folder / state),
    destination=dlt.destinations.duckdb(str(folder / "crm.duckdb")),
    dataset_name="crm_data",
)
for step in sys.argv[3:]:
    setattr(pipeline, step, lambda *_, **__: os._exit(9))
done = load(pipeline, os.environ["CRM_URL"], os.environ["CRM_TOKEN"])
with pipeline.sql_client() as client:
    rows = client.execute_sql("select display_name, version from contacts order by display_name")
    tables = client.execute_sql(
        "select table_name from information_schema.tables where table_schema = 'crm_data' and table_name not like '\\_dlt%' escape '\\' order by 1"
    )
    kept = client.execute_sql("select title, contact_ids from deals order by title")
print(json.dumps({"done": done, "contacts": rows, "tables": [name for (name,) in tables], "deals": [title for title, _ in kept]}))
