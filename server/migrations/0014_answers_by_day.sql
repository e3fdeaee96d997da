-- In steps.
-- Answers of finished requests lie in four partitions, by the day on which they were given, counted modulo four. What is older
-- than the retention is removed by emptying a partition, which costs no write anything; nothing is made or dropped from day to
-- day. The column slot fills itself, so that a server of the release before goes on writing and reading answers.
--
-- Answers, audit entries and events are found by the id of their request.

-- step: what an answer tells of its request; the slot of what there is already is one of its own
alter table idempotency_answers
  add column if not exists request_id uuid,
  add column if not exists client_request_id text collate "C",
  add column if not exists operation text collate "C",
  add column if not exists slot smallint not null default -1;

-- step: a constraint that is known to hold, so that becoming a partition needs no look at the rows
do $$ begin
  if not exists (select from pg_constraint where conname = 'idempotency_answers_before_slot') then
    alter table idempotency_answers add constraint idempotency_answers_before_slot check (slot = -1) not valid;
  end if;
end $$;

-- step
alter table idempotency_answers validate constraint idempotency_answers_before_slot;

-- step
create index concurrently if not exists idempotency_answers_before_of_request
  on idempotency_answers (request_id) where request_id is not null;

-- step
create index concurrently if not exists idempotency_answers_before_of_client_request
  on idempotency_answers (client_request_id) where client_request_id is not null;

-- step
create unique index concurrently if not exists idempotency_answers_before_pkey
  on idempotency_answers (organization_id, application_id, key, slot);

-- step
create index concurrently if not exists audit_entries_of_request on audit_entries (request_id);

-- step
create index concurrently if not exists audit_entries_of_client_request
  on audit_entries (client_request_id) where client_request_id is not null;

-- step: events come in the order of time, so that a few bytes for many pages tell where a time lies
create index concurrently if not exists changes_by_time on changes using brin (occurred_at) with (pages_per_range = 16, autosummarize = on);

-- step: the oldest number stands beside the last one, because events that were removed are in the way of who looks for it
alter table organization_feed add column if not exists oldest_seq bigint not null default 1;

-- step: rows that change often need room in their page to stay where they are
alter table company_contacts set (fillfactor = 85);
alter table deal_stage_spans set (fillfactor = 85);

-- step: only where events were removed by hand, because every write of an organization waits for its row
update organization_feed f set oldest_seq = coalesce(
  (select c.seq from changes c where c.organization_id = f.organization_id order by c.seq limit 1), f.seq + 1)
 where f.seq > 0
   and not exists (select from changes c where c.organization_id = f.organization_id and c.seq = 1);

-- step: a place far down a stage is counted in the index alone. Led by the stage, which is of one organization, it is not taken for
-- the primary key, which is older, in plans that are made while there are no deals
create index concurrently if not exists deals_in_stage_with_id on deals (stage_uuid, rank) include (organization_id, id);

-- step
drop index concurrently if exists deals_in_stage;

-- step
alter index if exists deals_in_stage_with_id rename to deals_in_stage;

-- step: from here on the table is the sum of its partitions
alter table idempotency_answers rename to idempotency_answers_before;
alter table idempotency_answers_before drop constraint idempotency_answers_pkey;
alter table idempotency_answers_before
  add constraint idempotency_answers_before_pkey primary key using index idempotency_answers_before_pkey;
drop index idempotency_answers_age;
alter index idempotency_answers_persons rename to idempotency_answers_before_persons;

create table idempotency_answers (
  organization_id uuid not null,
  application_id uuid not null,
  key text collate "C" not null,
  fingerprint bytea not null,
  created_at timestamptz(3) not null,
  status integer not null,
  -- null once a person in it was erased
  body text,
  -- the persons whose data the body holds: erasing one finds its answers here
  person_ids uuid[],
  request_id uuid,
  -- what the client sent as X-Request-Id, where that is not the request id itself
  client_request_id text collate "C",
  operation text collate "C",
  slot smallint not null default (extract(epoch from now())::bigint / 86400 % 4)
) partition by list (slot);
create index idempotency_answers_persons on idempotency_answers using gin (organization_id, person_ids)
  where person_ids is not null;
create index idempotency_answers_of_request on idempotency_answers (request_id) where request_id is not null;
create index idempotency_answers_of_client_request
  on idempotency_answers (client_request_id) where client_request_id is not null;
alter table idempotency_answers add primary key (organization_id, application_id, key, slot);

alter table idempotency_answers attach partition idempotency_answers_before for values in (-1);
create table idempotency_answers_0 partition of idempotency_answers for values in (0);
create table idempotency_answers_1 partition of idempotency_answers for values in (1);
create table idempotency_answers_2 partition of idempotency_answers for values in (2);
create table idempotency_answers_3 partition of idempotency_answers for values in (3);
