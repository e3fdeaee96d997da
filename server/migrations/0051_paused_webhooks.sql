-- That the server has paused a webhook is told to the other webhooks of its application: `pause_told_at` is the time of the last pause for which
-- there were notices, and a notice is removed when it was sent, or has failed for the last time.
alter table webhook_positions add column pause_told_at timestamptz(3);
update webhook_positions set pause_told_at = changed_at where state = 'paused';
create table webhook_notices (
  organization_id uuid not null,
  subscription_id uuid not null,
  paused_id uuid not null,
  paused_at timestamptz(3) not null,
  reason text collate "C",
  settled_seq bigint not null,
  attempts smallint not null default 0,
  next_at timestamptz(3) not null,
  primary key (organization_id, subscription_id, paused_id),
  foreign key (organization_id, subscription_id) references webhook_subscriptions (organization_id, id) on delete cascade,
  foreign key (organization_id, paused_id) references webhook_subscriptions (organization_id, id) on delete cascade
);
