-- In steps.
-- Reports sum up the stays of each stage by themselves, and read those of one deal from its key alone. An end of a stay is written
-- into an index anyway, so the wider key costs writers no further entry.
create index concurrently if not exists deal_stage_spans_left_stage
  on deal_stage_spans (organization_id, stage_uuid, left_at) include (deal_id, entered_at)
  where left_at is not null;
-- step
create unique index concurrently if not exists deal_stage_spans_of_deal
  on deal_stage_spans (organization_id, deal_id, number) include (stage_uuid, entered_at, left_at);
-- step
drop index concurrently if exists deal_stage_spans_left;
-- step
alter table deal_stage_spans drop constraint deal_stage_spans_pkey;
alter table deal_stage_spans
  add constraint deal_stage_spans_pkey primary key using index deal_stage_spans_of_deal;
alter index deal_stage_spans_left_stage rename to deal_stage_spans_left;
