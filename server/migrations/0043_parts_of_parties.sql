-- Activities and files of contacts and companies, like those of deals. A file of theirs is removed with its attachment.
-- Nothing here goes by itself with its record: a server of an older release, which does not move or erase these rows, must not lose them.

create table contact_activities (
  organization_id uuid not null,
  id uuid not null,
  version bigint not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  contact_id uuid not null,
  type text not null,
  subject text,
  body text,
  direction text,
  occurred_at timestamptz(3) not null,
  duration_seconds integer,
  outcome text,
  author_uuid uuid,
  application_id uuid,
  foreign key (organization_id, contact_id) references contacts (organization_id, id)
) with (fillfactor = 85);
create index contact_activities_in_order on contact_activities (organization_id, contact_id, occurred_at, id);
alter table contact_activities add primary key (organization_id, id);

create table company_activities (
  organization_id uuid not null,
  id uuid not null,
  version bigint not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  company_id uuid not null,
  type text not null,
  subject text,
  body text,
  direction text,
  occurred_at timestamptz(3) not null,
  duration_seconds integer,
  outcome text,
  contact_id uuid,
  author_uuid uuid,
  application_id uuid,
  foreign key (organization_id, contact_id) references contacts (organization_id, id),
  foreign key (organization_id, company_id) references companies (organization_id, id)
) with (fillfactor = 85);
create index company_activities_in_order on company_activities (organization_id, company_id, occurred_at, id);
create index company_activities_of_contact on company_activities (organization_id, contact_id, id)
  where contact_id is not null;
alter table company_activities add primary key (organization_id, id);

create table contact_files (
  organization_id uuid not null,
  id uuid not null,
  version bigint not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  contact_id uuid not null,
  name text not null,
  mime_type text not null,
  size_bytes integer not null,
  sha256 text not null,
  created_by_uuid uuid,
  application_id uuid,
  foreign key (organization_id, contact_id) references contacts (organization_id, id),
  foreign key (organization_id, id) references files (organization_id, id)
);
create index contact_files_in_order on contact_files (organization_id, contact_id, created_at, id);
alter table contact_files add primary key (organization_id, id);

create table company_files (
  organization_id uuid not null,
  id uuid not null,
  version bigint not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  company_id uuid not null,
  name text not null,
  mime_type text not null,
  size_bytes integer not null,
  sha256 text not null,
  created_by_uuid uuid,
  application_id uuid,
  foreign key (organization_id, company_id) references companies (organization_id, id),
  foreign key (organization_id, id) references files (organization_id, id)
);
create index company_files_in_order on company_files (organization_id, company_id, created_at, id);
alter table company_files add primary key (organization_id, id);
