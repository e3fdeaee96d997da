-- What the kernel keeps for every organization: who may call, what is configured, and the four records
-- of every write (key, audit entry, stored answer, change event).
--
-- organization_id leads every key of a tenant table. Primary keys are added behind the other indexes: of two that
-- promise the same, the planner takes the younger, and a statement prepared while a table is empty keeps its plan. Tables that are written on every request have no
-- foreign key to organizations: each insert would take a share lock on that one row.

create extension if not exists pg_trgm;
create extension if not exists btree_gin;

-- One row. Its generation is raised by every administrative change; nodes poll it to drop what they cached.
create table installation (
  singleton boolean primary key default true check (singleton),
  generation bigint not null default 1
);
insert into installation default values;

create table organizations (
  id uuid primary key,
  name text not null,
  time_zone text not null,
  default_currency text not null,
  currencies text[] not null,
  locale text not null,
  country text not null,
  crm_provider text not null default 'built_in' check (crm_provider in ('built_in', 'external')),
  sandbox boolean not null default false,
  demo boolean not null default false,
  -- Raised by every change of the configuration below: a write transaction reads it to know that what the
  -- process holds in memory is current.
  directory_version bigint not null default 1,
  created_at timestamptz(3) not null
);
create unique index organizations_single_demo on organizations (demo) where demo;

create table applications (
  organization_id uuid not null references organizations (id),
  id uuid not null,
  name text not null,
  rate_read integer not null check (rate_read > 0),
  rate_write integer not null check (rate_write > 0),
  enabled boolean not null default true,
  created_at timestamptz(3) not null,
  primary key (organization_id, id)
);

-- Global: a token is looked up before its organization is known.
create table api_tokens (
  id text collate "C" primary key,
  organization_id uuid not null,
  application_id uuid not null,
  name text not null,
  secret_hash bytea not null,
  scopes text[] not null,
  cidrs text[] not null default '{}',
  created_at timestamptz(3) not null,
  expires_at timestamptz(3),
  revoked_at timestamptz(3),
  rotated_from text collate "C",
  last_used_at timestamptz(3),
  last_used_ip text,
  foreign key (organization_id, application_id) references applications (organization_id, id)
);
create index api_tokens_of_application on api_tokens (organization_id, application_id);

create table operators (
  organization_id uuid not null references organizations (id),
  id uuid not null,
  name text not null,
  email text not null,
  active boolean not null default true,
  created_at timestamptz(3) not null
);
create unique index operators_email on operators (organization_id, lower(email));
alter table operators add primary key (organization_id, id);

create table pipelines (
  organization_id uuid not null references organizations (id),
  id uuid not null,
  name text not null,
  is_default boolean not null default false,
  lost_reason_required boolean not null default true,
  position integer not null,
  created_at timestamptz(3) not null
);
create unique index pipelines_default on pipelines (organization_id) where is_default;
alter table pipelines add primary key (organization_id, id);

create table stages (
  organization_id uuid not null,
  id uuid not null,
  pipeline_id uuid not null,
  name text not null,
  type text not null check (type in ('open', 'won', 'lost')),
  position integer not null,
  archived boolean not null default false,
  foreign key (organization_id, pipeline_id) references pipelines (organization_id, id)
);
create index stages_of_pipeline on stages (organization_id, pipeline_id, position);
alter table stages add primary key (organization_id, id);

create table lost_reason_categories (
  organization_id uuid not null references organizations (id),
  id uuid not null,
  name text not null,
  -- null: usable in every pipeline
  pipeline_id uuid,
  active boolean not null default true,
  position integer not null,
  primary key (organization_id, id),
  foreign key (organization_id, pipeline_id) references pipelines (organization_id, id)
);

create table tags (
  organization_id uuid not null references organizations (id),
  id uuid not null,
  name text not null,
  color text,
  kinds text[] not null,
  created_at timestamptz(3) not null
);
create unique index tags_name on tags (organization_id, lower(name));
alter table tags add primary key (organization_id, id);

create table custom_field_definitions (
  organization_id uuid not null references organizations (id),
  kind text collate "C" not null,
  key text collate "C" not null,
  label text not null,
  type text not null,
  options jsonb not null default '[]',
  required boolean not null default false,
  position integer not null,
  created_at timestamptz(3) not null,
  primary key (organization_id, kind, key)
);

-- An application's own names for records. A live mapping holds the key itself; a gone one (tombstone, or key of
-- an anonymized contact) only an HMAC of it, because the key may be personal data.
create table external_keys (
  organization_id uuid not null,
  application_id uuid not null,
  kind text collate "C" not null,
  gone boolean not null,
  key text collate "C" not null,
  resource_id uuid not null,
  reason text check (reason in ('deleted', 'merged', 'anonymized')),
  changed_at timestamptz(3) not null,
  check (gone = (reason is not null))
);
create unique index external_keys_of_resource
  on external_keys (organization_id, resource_id, application_id, kind, gone, key);
alter table external_keys add primary key (organization_id, application_id, kind, gone, key);

-- The row every committing writer updates last: its lock makes sequence order equal to commit order.
create table organization_feed (
  organization_id uuid primary key,
  seq bigint not null
) with (fillfactor = 20);

create table changes (
  organization_id uuid not null,
  seq bigint not null,
  id uuid not null,
  kind text collate "C" not null,
  resource_type text collate "C" not null,
  resource_id uuid not null,
  operation text collate "C" not null,
  version bigint,
  changed_fields text[] not null,
  merged_into_id uuid,
  merged_from_id uuid,
  occurred_at timestamptz(3) not null,
  actor_type text not null,
  actor_uuid uuid,
  application_id uuid,
  request_id uuid not null,
  job_id uuid,
  transaction_id uuid not null,
  primary key (organization_id, seq)
);

-- The keys that removed companies, deals and merged contacts had: their events go on carrying them.
create table change_keys (
  organization_id uuid not null,
  application_id uuid not null,
  resource_id uuid not null,
  key text collate "C" not null,
  removed_at timestamptz(3) not null,
  primary key (organization_id, application_id, resource_id)
);

create table audit_entries (
  organization_id uuid not null,
  id uuid not null,
  occurred_at timestamptz(3) not null,
  resource_type text collate "C" not null,
  resource_id uuid not null,
  action text collate "C" not null,
  application_id uuid,
  actor_type text not null,
  actor_uuid uuid,
  request_id uuid not null,
  -- what the client sent as X-Request-Id, where that is not the request id itself
  client_request_id text,
  version_before bigint,
  version_after bigint,
  changes jsonb not null,
  job_id uuid
);
create index audit_entries_of_resource on audit_entries (resource_id);
alter table audit_entries add primary key (organization_id, id);

-- Answers of finished requests, whole: what a token may read of them is decided when they are replayed.
create table idempotency_answers (
  organization_id uuid not null,
  application_id uuid not null,
  key text collate "C" not null,
  fingerprint bytea not null,
  created_at timestamptz(3) not null,
  status integer not null,
  -- null once the person in it was erased
  body text,
  -- the persons whose data the body holds: erasing one finds its answers here
  person_ids uuid[]
);
create index idempotency_answers_persons on idempotency_answers using gin (organization_id, person_ids)
  where person_ids is not null;
create index idempotency_answers_age on idempotency_answers (created_at);
alter table idempotency_answers add primary key (organization_id, application_id, key);

-- Proof that a person was erased, and what was reached.
create table erasure_receipts (
  organization_id uuid not null,
  id uuid not null,
  contact_id uuid not null,
  mode text not null,
  erased_at timestamptz(3) not null,
  request_id uuid not null,
  application_id uuid,
  reached jsonb not null,
  primary key (organization_id, id)
);

-- Ends a transaction whose statement touched another number of rows than was decided, as a serialization failure,
-- so that it is decided again on fresh data.
create function expect_rows(touched bigint, expected bigint) returns boolean
language plpgsql as $$
begin
  if touched <> expected then
    raise exception 'touched % rows where % were expected', touched, expected using errcode = '40001';
  end if;
  return true;
end
$$;
