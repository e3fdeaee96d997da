-- Reports find deals by the time at which they were closed, and by the stages that they entered and left. The columns of
-- these indexes change only when a deal changes its stage, so no other update of a deal has to write them.
create index deals_closed on deals (organization_id, closed_at) include (status, created_at, pipeline_id)
  where closed_at is not null;
create index deal_stage_spans_in_stage on deal_stage_spans (organization_id, stage_uuid, deal_id, entered_at);
create index deal_stage_spans_left on deal_stage_spans (organization_id, left_at) include (stage_uuid, deal_id, entered_at)
  where left_at is not null;

-- A primary key has to be the youngest index of its table that a look-up could be planned with.
alter table deal_stage_spans drop constraint deal_stage_spans_pkey;
alter table deal_stage_spans add primary key (organization_id, deal_id, number);
