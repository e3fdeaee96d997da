-- Where an application wants to be told of changes. The secrets and the headers are encrypted for their row; the key is in no table. A row
-- that comes from the file of an organization has none of them, and is paused.
create table webhook_subscriptions (
  organization_id uuid not null,
  id uuid not null,
  version bigint not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  application_id uuid not null,
  name text not null,
  url text not null,
  kinds text[] not null,
  filter jsonb not null,
  changed_fields text[] not null,
  body text collate "C" not null,
  token_id text collate "C",
  scopes text[] not null,
  despite_networks boolean not null default false,
  own_changes text collate "C" not null,
  concurrency integer not null,
  headers text collate "C",
  header_names text[] not null default '{}',
  headers_updated_at timestamptz(3),
  secret text collate "C",
  secret_updated_at timestamptz(3),
  former_secret text collate "C",
  former_secret_until timestamptz(3),
  enabled boolean not null default false,
  resumed_at timestamptz(3),
  from_seq bigint not null,
  from_epoch bigint not null,
  check ((headers is null) = (headers_updated_at is null)),
  check ((secret is null) = (secret_updated_at is null)),
  check ((former_secret is null) = (former_secret_until is null)),
  foreign key (organization_id, application_id) references applications (organization_id, id)
);
create index webhook_subscriptions_of_application on webhook_subscriptions (organization_id, application_id);
alter table webhook_subscriptions add primary key (organization_id, id);
