-- Exports: what was asked for, how far it has come, and what became of it. The key of the request stays with the export, so
-- that repeating the request gives the same export for as long as there is one.
create table exports (
  organization_id uuid not null,
  id uuid not null,
  application_id uuid not null,
  idempotency_key text not null,
  fingerprint bytea not null,
  type text not null,
  csv_safe boolean not null,
  filters jsonb not null,
  redacted text[] not null,
  status text not null,
  -- The attempt that writes the file. Whoever has another one has lost the export.
  run_id uuid,
  -- How often the file was begun anew because persons were erased meanwhile.
  restarts integer not null default 0,
  rows_written bigint not null default 0,
  rows_total bigint,
  file_name text not null,
  file_id uuid,
  size_bytes bigint,
  sha256 text,
  created_at timestamptz(3) not null,
  started_at timestamptz(3),
  finished_at timestamptz(3),
  expires_at timestamptz(3),
  failure_code text,
  failure_message text
);
create unique index exports_once on exports (organization_id, application_id, idempotency_key);
create index exports_newest on exports (organization_id, application_id, created_at, id);
create index exports_unfinished on exports (organization_id) where status in ('queued', 'running');
create index exports_kept on exports (organization_id, expires_at) where status = 'completed';
alter table exports add primary key (organization_id, id);

-- Files that hold data of persons are dropped when a person is erased, unless they are older than the person.
alter table files add column holds_persons boolean not null default false;
create index files_of_persons on files (organization_id) where holds_persons;
