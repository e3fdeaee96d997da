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

-- Records that the values of an entry tell of beside its own, as a company's links tell of contacts: erasing a person finds
-- the entries here.
alter table audit_entries add column about_ids uuid[];
create index audit_entries_about on audit_entries using gin (organization_id, about_ids) where about_ids is not null;
