-- In steps.
-- The entries of a record in their order, so that a page of them reads no more than it may; also for an undo and for an erasure.
create index concurrently if not exists audit_entries_of_record_in_order
  on audit_entries (organization_id, resource_id, id);
-- step
drop index audit_entries_of_record;

-- Whether an upsert changed the record without comparing versions.
alter table audit_entries add column overwrite boolean not null default false;
