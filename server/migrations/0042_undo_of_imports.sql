-- In steps.
-- Finds the steps of an import or a bulk job.
create index concurrently if not exists audit_entries_of_job on audit_entries (organization_id, job_id, id)
  where job_id is not null;
-- step
-- The entries of a record, for an undo and for an erasure. Over the record alone, the planner joined it with all entries of the organization
-- where it had no statistics.
create index concurrently if not exists audit_entries_of_record on audit_entries (organization_id, resource_id);
-- step
drop index concurrently if exists audit_entries_of_resource;
-- step
-- How far an import is taken back. Its steps are read from the audit entries, the latest first; `position` is the last one that was handled.
create table import_undos (
  organization_id uuid not null,
  id uuid not null,
  import_id uuid not null,
  status text collate "C" not null,
  position uuid not null,
  total integer,
  done integer not null,
  removed integer not null,
  restored integer not null,
  kept integer not null,
  created_at timestamptz(3) not null,
  started_at timestamptz(3),
  finished_at timestamptz(3),
  failure jsonb,
  check ((finished_at is null) = (status in ('queued', 'running'))),
  primary key (organization_id, id),
  foreign key (organization_id, import_id) references imports (organization_id, id) on delete cascade
) with (fillfactor = 70);
create unique index import_undos_of_import on import_undos (organization_id, import_id);

-- The records of which something stays, and why.
create table import_undo_kept (
  organization_id uuid not null,
  undo_id uuid not null,
  record_id uuid not null,
  kind text collate "C" not null,
  reason text collate "C" not null,
  fields text[] not null,
  primary key (organization_id, undo_id, record_id),
  foreign key (organization_id, undo_id) references import_undos (organization_id, id) on delete cascade
);
