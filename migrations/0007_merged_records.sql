-- What became of records that were merged into others: a request for one of them is told where it went. Whatever was merged
-- into the merged record before leads on too, so one step always suffices.
create table merged_records (
  organization_id uuid not null,
  id uuid not null,
  kind text collate "C" not null,
  into_id uuid not null,
  merged_at timestamptz(3) not null
);
create index merged_records_into on merged_records (organization_id, into_id);
alter table merged_records add primary key (organization_id, id);
