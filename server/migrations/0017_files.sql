-- Files: a row here for whatever is kept in the store of files. Its bytes lie under a key made of organization, purpose and
-- id. A file without a row is removed when it is old enough, so nothing in the store counts before its row is committed.
--
-- What is attached to deals and tasks refers to its file: a file that something refers to cannot lose its row. An attachment
-- has the id of its file and repeats what the file is, which never changes, so that a list reads one table.

create table files (
  organization_id uuid not null,
  id uuid not null,
  purpose text not null,
  name text not null,
  media_type text not null,
  size_bytes bigint not null check (size_bytes >= 0),
  sha256 text not null,
  created_at timestamptz(3) not null
);
alter table files add primary key (organization_id, id);

create table deal_files (
  organization_id uuid not null,
  id uuid not null,
  version bigint not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  deal_id uuid not null,
  name text not null,
  mime_type text not null,
  size_bytes integer not null,
  sha256 text not null,
  created_by_uuid uuid,
  application_id uuid,
  foreign key (organization_id, deal_id) references deals (organization_id, id) on delete cascade,
  foreign key (organization_id, id) references files (organization_id, id)
);
create index deal_files_in_order on deal_files (organization_id, deal_id, created_at, id);
alter table deal_files add primary key (organization_id, id);

create table task_files (
  organization_id uuid not null,
  id uuid not null,
  version bigint not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  task_id uuid not null,
  name text not null,
  mime_type text not null,
  size_bytes integer not null,
  sha256 text not null,
  created_by_uuid uuid,
  application_id uuid,
  foreign key (organization_id, task_id) references tasks (organization_id, id) on delete cascade,
  foreign key (organization_id, id) references files (organization_id, id)
);
create index task_files_in_order on task_files (organization_id, task_id, created_at, id);
alter table task_files add primary key (organization_id, id);
