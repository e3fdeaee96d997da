-- Organizations and what they have configured are records: each has a version and times, and is written with an audit entry.
-- The version of an organization is its directory_version, which every change below it raises.
--
-- Servers and commands of the release before run on beside this for a while. What they add gets its columns by default.

-- Every statement names the organization, those on organizations too.
alter table organizations
  add column organization_id uuid not null generated always as (id) stored,
  add column updated_at timestamptz(3) not null default now();

alter table applications
  add column version bigint not null default 1,
  add column updated_at timestamptz(3) not null default now();

-- The id of a token is a part of its text. Audit entries name records by a UUID.
alter table api_tokens
  add column record_id uuid not null default gen_random_uuid(),
  add column version bigint not null default 1,
  add column updated_at timestamptz(3) not null default now();

alter table operators
  add column version bigint not null default 1,
  add column updated_at timestamptz(3) not null default now();

alter table pipelines
  add column version bigint not null default 1,
  add column updated_at timestamptz(3) not null default now();

-- One statement takes the mark from one pipeline and gives it to another, in any order of rows: so it is looked at when the
-- statement ends.
drop index pipelines_default;
alter table pipelines add constraint pipelines_default
  exclude using btree (organization_id with =) where (is_default) deferrable initially immediate;

alter table stages
  add column version bigint not null default 1,
  add column created_at timestamptz(3) not null default now(),
  add column updated_at timestamptz(3) not null default now();

alter table lost_reason_categories
  add column version bigint not null default 1,
  add column created_at timestamptz(3) not null default now(),
  add column updated_at timestamptz(3) not null default now();

alter table tags
  add column version bigint not null default 1,
  add column updated_at timestamptz(3) not null default now();

alter table custom_field_definitions
  add column id uuid not null default gen_random_uuid(),
  add column version bigint not null default 1,
  add column updated_at timestamptz(3) not null default now();

update organizations set updated_at = created_at;
update applications set updated_at = created_at;
update api_tokens set updated_at = created_at;
update operators set updated_at = created_at;
update pipelines set updated_at = created_at;
update tags set updated_at = created_at;
update custom_field_definitions set updated_at = created_at;

create unique index api_tokens_record on api_tokens (organization_id, record_id);
create unique index custom_field_definitions_record on custom_field_definitions (organization_id, id);
