-- Calls of other systems that AI agents may make. The secret is encrypted for its row; the key is in no table.
create table api_integrations (
  organization_id uuid not null,
  id uuid not null,
  version bigint not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  name text collate "C" not null,
  description text not null,
  method text collate "C" not null,
  url text not null,
  parameters jsonb not null,
  headers jsonb not null,
  auth jsonb not null,
  secret text collate "C",
  body_template text,
  timeout_seconds integer not null,
  enabled boolean not null,
  secret_updated_at timestamptz(3),
  check ((secret is null) = (secret_updated_at is null))
) with (fillfactor = 85);
create unique index api_integrations_of_name on api_integrations (organization_id, name);
alter table api_integrations add primary key (organization_id, id);

create table agent_api_integrations (
  organization_id uuid not null,
  agent_id uuid not null,
  api_integration_id uuid not null,
  position integer not null,
  foreign key (organization_id, agent_id) references agents (organization_id, id),
  foreign key (organization_id, api_integration_id) references api_integrations (organization_id, id)
);
create index agent_api_integrations_of_integration on agent_api_integrations (organization_id, api_integration_id);
alter table agent_api_integrations add primary key (organization_id, agent_id, api_integration_id);
