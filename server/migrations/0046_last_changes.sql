-- When each contact, company, deal and task was last changed, in that order (ADR 0029): an index on the records themselves would make each
-- of their updates write all other indexes too. Writes keep it. The hourly upkeep fills it for organizations that are here already, and for
-- those that a server of an older release writes to.
create table last_changes (
  organization_id uuid not null,
  kind text collate "C" not null,
  updated_at timestamptz(3) not null,
  resource_id uuid not null,
  primary key (organization_id, kind, updated_at, resource_id)
);

-- Writes raise it together with the number of the feed, which a server of an older release raises alone: the table has every record only
-- where both are equal.
alter table organization_feed add column last_changes_seq bigint not null default -1;
alter table organization_feed alter column last_changes_seq set default 0;
