-- In steps.
-- The oldest exports make room for what is uploaded.
create index concurrently if not exists files_of_exports
  on files (organization_id) include (created_at, id, size_bytes) where purpose = 'export';
-- step
-- How many bytes the files of an organization may have, and how many they have. Whoever adds or removes files moves the sum in the
-- same transaction; the upkeep corrects what servers of an older release have moved without it.
alter table organizations add column if not exists file_quota_bytes bigint not null default 42949672960;
-- step
alter table organization_feed add column if not exists file_bytes bigint not null default 0;
-- step
update organization_feed f set file_bytes = coalesce(
  (select sum(s.size_bytes) from files s where s.organization_id = f.organization_id), 0)
 where exists (select from files s where s.organization_id = f.organization_id);
