-- In steps.
-- Companies are found by their tax ids.
create index concurrently if not exists companies_tax_id on companies (organization_id, tax_id)
  where tax_id is not null;
-- step
-- Imports: files of an organization whose rows become records and links. The file itself lies in the store of files until
-- the import is finished. `position` is the last line that was handled; counters and errors are written with its rows.

create table imports (
  organization_id uuid not null,
  id uuid not null,
  entity_type text not null,
  status text not null,
  file_name text not null,
  size_bytes integer not null,
  sha256 text not null,
  file_id uuid,
  form jsonb,
  mapping jsonb,
  columns jsonb,
  dedup_policy jsonb,
  defaults jsonb,
  dry_run boolean not null default false,
  manages_custom_fields boolean not null default false,
  row_count integer,
  position integer not null default 0,
  counters jsonb not null,
  errors jsonb not null,
  errors_file_id uuid,
  failure jsonb,
  application_id uuid,
  author_type text not null,
  author_uuid uuid,
  created_at timestamptz(3) not null,
  started_at timestamptz(3),
  finished_at timestamptz(3)
) with (fillfactor = 70);
create index imports_newest on imports (organization_id, created_at, id);
create index imports_unfinished on imports (created_at) where finished_at is null;
alter table imports add primary key (organization_id, id);

-- All errors of an import, until they stand in its file of errors.
create table import_errors (
  organization_id uuid not null,
  import_id uuid not null,
  line integer not null,
  number integer not null,
  error jsonb not null,
  foreign key (organization_id, import_id) references imports (organization_id, id) on delete cascade
);
alter table import_errors add primary key (organization_id, import_id, line, number);

-- The owners of links of which a row of the import has named the primary one: a second one is an error.
create table import_primaries (
  organization_id uuid not null,
  import_id uuid not null,
  owner_id uuid not null,
  foreign key (organization_id, import_id) references imports (organization_id, id) on delete cascade
);
alter table import_primaries add primary key (organization_id, import_id, owner_id);

-- What records would be after the rows of a dry run so far; `words` are the values by which later rows find them.
create table import_rehearsals (
  organization_id uuid not null,
  import_id uuid not null,
  kind text not null,
  id uuid not null,
  parent_id uuid,
  words text[] not null,
  state jsonb,
  foreign key (organization_id, import_id) references imports (organization_id, id) on delete cascade
);
create index import_rehearsals_words on import_rehearsals using gin (organization_id, import_id, words)
  with (fastupdate = off);
create index import_rehearsals_parent on import_rehearsals (organization_id, import_id, parent_id)
  where parent_id is not null;
alter table import_rehearsals add primary key (organization_id, import_id, kind, id);
