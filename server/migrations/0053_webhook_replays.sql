-- Events that are sent to a webhook once more, beside its position: those from `from_seq` to `to_seq`, or `only_seqs` of them. Everything up to
-- `settled_seq` is done, and the token is that of the worker that has the replay, as in `webhook_positions`.
create table webhook_replays (
  organization_id uuid not null,
  id uuid not null,
  subscription_id uuid not null,
  created_at timestamptz(3) not null,
  from_seq bigint not null,
  to_seq bigint not null,
  only_seqs bigint[],
  epoch bigint not null,
  token bigint not null default 0,
  settled_seq bigint not null,
  holes bytea not null default '',
  state text collate "C" not null default 'active',
  reason text collate "C",
  failures integer not null default 0,
  failing_since timestamptz(3),
  resume_at timestamptz(3),
  changed_at timestamptz(3) not null,
  delivered bigint not null default 0,
  failed bigint not null default 0,
  gone bigint not null default 0,
  check (from_seq <= to_seq),
  check (state in ('active', 'held', 'paused', 'ended')),
  check (octet_length(holes) <= 64),
  primary key (organization_id, id),
  foreign key (organization_id, subscription_id) references webhook_subscriptions (organization_id, id) on delete cascade
) with (fillfactor = 50);
create index webhook_replays_of_webhook on webhook_replays (organization_id, subscription_id, created_at);

-- The replay that has made the call; null: the webhook itself.
alter table webhook_runs add column replay_id uuid;
alter table webhook_failures add column replay_id uuid;
