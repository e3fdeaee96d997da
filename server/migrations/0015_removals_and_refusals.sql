-- The version of the configuration by which a write has to be decided at least: older ones may know settings that are removed
-- since. A write compares it where it updates this row anyway, when it takes the numbers of its change events.
--
-- Servers of the release before run on beside this for a while and do not compare it.
alter table organization_feed add column oldest_configuration bigint not null default 0;

-- Why, when and from where a token was refused the last time, for whoever wonders why an integration stands still.
alter table api_tokens
  add column last_refused_at timestamptz(3),
  add column last_refused_ip text,
  add column last_refused_reason text;
