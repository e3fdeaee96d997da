-- How far each webhook has been delivered. A worker that takes it raises the token, and only the worker with the last token can move the row. `holes` has
-- a bit for each event behind `settled_seq` that is done already, the lowest bit first. Every update stays in its page.
create table webhook_positions (
  organization_id uuid not null,
  subscription_id uuid not null,
  token bigint not null,
  epoch bigint not null,
  settled_seq bigint not null,
  holes bytea not null default '',
  state text collate "C" not null default 'active',
  reason text collate "C",
  failures integer not null default 0,
  failing_since timestamptz(3),
  resume_at timestamptz(3),
  changed_at timestamptz(3) not null,
  check (state in ('active', 'held', 'paused')),
  check (octet_length(holes) <= 64),
  primary key (organization_id, subscription_id),
  foreign key (organization_id, subscription_id) references webhook_subscriptions (organization_id, id) on delete cascade
) with (fillfactor = 50);

-- Events that a receiver has refused while it took others, and later ones of the same record, which wait behind them without a time.
-- `merged_seqs` are updates of the record that the event stands for.
create table webhook_parked (
  organization_id uuid not null,
  subscription_id uuid not null,
  seq bigint not null,
  resource_id uuid not null,
  merged_seqs bigint[] not null default '{}',
  attempts smallint not null,
  next_at timestamptz(3),
  last_status smallint,
  primary key (organization_id, subscription_id, seq),
  foreign key (organization_id, subscription_id) references webhook_positions (organization_id, subscription_id)
    on delete cascade
) with (fillfactor = 70);

-- What was delivered, one row for all that was settled at once. The arrays have an element for each event: its distance from `from_seq`, the
-- status of the answer, how long it took, and how long before `at` the call began.
create table webhook_runs (
  organization_id uuid not null,
  subscription_id uuid not null,
  at timestamptz(3) not null,
  from_seq bigint not null,
  to_seq bigint not null,
  distances integer[] not null,
  status smallint[] not null,
  took integer[] not null,
  sent integer[] not null,
  primary key (organization_id, subscription_id, at, from_seq),
  foreign key (organization_id, subscription_id) references webhook_positions (organization_id, subscription_id)
    on delete cascade
);

-- Calls that failed. `status` is that of the answer; without an answer, `failure` says why there is none.
create table webhook_failures (
  organization_id uuid not null,
  subscription_id uuid not null,
  at timestamptz(3) not null,
  seq bigint not null,
  resource_id uuid,
  attempt smallint not null,
  status smallint,
  failure text collate "C" not null,
  took integer not null,
  primary key (organization_id, subscription_id, at, seq),
  foreign key (organization_id, subscription_id) references webhook_positions (organization_id, subscription_id)
    on delete cascade
);

-- Which worker should deliver a webhook: a hint that spares the others the attempt. The row of a worker, which has its own id in place of a
-- webhook's, says that it lives. On a cluster the table stays on the coordinator, with the queue of jobs.
create table webhook_leases (
  subscription_id uuid primary key,
  worker uuid,
  until timestamptz not null
) with (fillfactor = 70);
