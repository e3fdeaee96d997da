-- Channels, their AI operators, AI agents, product sets and products. Their records have no versions that clients see and no
-- keys of applications; `version` counts changes for the audit log.

create table product_sets (
  organization_id uuid not null,
  id uuid not null,
  version bigint not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  name text not null,
  description text,
  currency text,
  -- Changed together with the products, so that a page knows the number of all without counting them.
  products_count integer not null
) with (fillfactor = 85);
alter table product_sets add primary key (organization_id, id);

-- `id` follows from the set and from `product_id`, which the client chose.
create table products (
  organization_id uuid not null,
  id uuid not null,
  version bigint not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  product_set_id uuid not null,
  product_id text not null,
  name text not null,
  sku text,
  description text,
  price numeric,
  currency text,
  availability text,
  url text,
  image_urls jsonb not null,
  attributes jsonb not null,
  foreign key (organization_id, product_set_id) references product_sets (organization_id, id) on delete cascade
) with (fillfactor = 85);
create index products_newest on products (organization_id, product_set_id, created_at, id);
alter table products add primary key (organization_id, id);

create table agents (
  organization_id uuid not null,
  id uuid not null,
  version bigint not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  name text not null,
  description text,
  instructions text not null,
  language text not null,
  tone text not null,
  model text not null,
  creativity text not null,
  fallback_message text,
  enabled boolean not null
) with (fillfactor = 85);
alter table agents add primary key (organization_id, id);

create table agent_product_sets (
  organization_id uuid not null,
  agent_id uuid not null,
  product_set_id uuid not null,
  position integer not null,
  foreign key (organization_id, agent_id) references agents (organization_id, id),
  foreign key (organization_id, product_set_id) references product_sets (organization_id, id)
);
create index agent_product_sets_of_set on agent_product_sets (organization_id, product_set_id);
alter table agent_product_sets add primary key (organization_id, agent_id, product_set_id);

create table channels (
  organization_id uuid not null,
  id uuid not null,
  version bigint not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  type text not null,
  name text not null,
  status text not null,
  identifier text
) with (fillfactor = 85);
alter table channels add primary key (organization_id, id);

-- One for each channel, with its id.
create table ai_operators (
  organization_id uuid not null,
  id uuid not null,
  version bigint not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  enabled boolean not null default false,
  agent_id uuid,
  mode text not null default 'autopilot',
  schedule jsonb,
  handoff jsonb not null default '{"onRequest":true,"onNoAnswer":true,"keywords":[],"assigneeUuid":null,"message":null}',
  greeting text,
  reply_delay_seconds integer not null default 0,
  max_replies_per_dialog integer,
  foreign key (organization_id, id) references channels (organization_id, id) on delete cascade,
  foreign key (organization_id, agent_id) references agents (organization_id, id)
) with (fillfactor = 85);
create index ai_operators_of_agent on ai_operators (organization_id, agent_id) where agent_id is not null;
alter table ai_operators add primary key (organization_id, id);
