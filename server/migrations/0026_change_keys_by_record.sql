-- In steps.
-- Erasing a person drops the keys of records without asking each application for its own.
create unique index concurrently if not exists change_keys_by_record
  on change_keys (organization_id, resource_id, application_id);
-- step
alter table change_keys drop constraint change_keys_pkey;
alter table change_keys
  add constraint change_keys_pkey primary key using index change_keys_by_record;
