-- Some events of the feed have another message besides their own, such as deal.won. `kinds` are the messages that are still to be sent of a parked
-- event, in this order. `derived_kinds` is null for a run, and has null for an event, that was told of by its own kind; so has `derived_kind`.
alter table webhook_parked add column kinds text[] collate "C" not null default '{}';
update webhook_parked k
   set kinds = array[c.kind]
  from changes c
 where c.organization_id = k.organization_id and c.seq = k.seq;
alter table webhook_runs add column derived_kinds text[] collate "C";
alter table webhook_failures add column derived_kind text collate "C";
