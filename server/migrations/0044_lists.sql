-- In steps.
-- Lists with filters and orders (ADR 0029). Each index has a condition that no look-up by key has, so that it is never taken for the key
-- (ADR 0006): lists alone say that a contact is not anonymized and that a title is not empty, which is always true. The expressions of names
-- and titles are in server/src/kernel/schema/fields/selected.ts and server/src/crm/contacts/contact.rules.ts too.
create index concurrently if not exists contacts_by_name on contacts (
  organization_id,
  (left(lower(regexp_replace(normalize(coalesce(nullif(rtrim(coalesce(last_name || ' ', '') || coalesce(first_name || ' ', '') || coalesce(middle_name, '')), ''), job_title, 'Contact ' || left(id::text, 8)), NFKD), '[\u0300-\u036f]+', '', 'g')), 100) collate "C"),
  id
) where anonymized_at is null;
-- step
create index concurrently if not exists companies_by_name on companies (
  organization_id,
  (left(lower(regexp_replace(normalize(name, NFKD), '[\u0300-\u036f]+', '', 'g')), 100) collate "C"),
  id
) where name <> '';
-- step
create index concurrently if not exists deals_by_title on deals (
  organization_id,
  (left(lower(regexp_replace(normalize(title, NFKD), '[\u0300-\u036f]+', '', 'g')), 100) collate "C"),
  id
) where title <> '';
-- step
create index concurrently if not exists tasks_by_title on tasks (
  organization_id,
  (left(lower(regexp_replace(normalize(title, NFKD), '[\u0300-\u036f]+', '', 'g')), 100) collate "C"),
  id
) where title <> '';
-- step
create index concurrently if not exists deals_by_amount on deals (organization_id, amount, id) where title <> '';
-- step
create index concurrently if not exists deals_by_expected_close on deals (organization_id, expected_close_date, id) where title <> '';
-- step
create index concurrently if not exists tasks_by_due_date on tasks (organization_id, due_date, id) where title <> '';
-- step
create index concurrently if not exists contacts_of_owner on contacts (organization_id, owner_uuid) where owner_uuid is not null;
-- step
create index concurrently if not exists companies_of_owner on companies (organization_id, owner_uuid) where owner_uuid is not null;
-- step
create index concurrently if not exists deals_of_owner on deals (organization_id, owner_uuid) where owner_uuid is not null;
-- step
create index concurrently if not exists tasks_of_assignee on tasks (organization_id, assignee_uuid) where assignee_uuid is not null;
-- step
-- Tags without their organization: an id of a tag is of one organization only, and PostgreSQL would read the list of the organization as well.
create index concurrently if not exists contacts_of_tag on contacts using gin (tag_ids) with (fastupdate = off) where tag_ids <> '{}';
-- step
create index concurrently if not exists companies_of_tag on companies using gin (tag_ids) with (fastupdate = off) where tag_ids <> '{}';
-- step
create index concurrently if not exists deals_of_tag on deals using gin (tag_ids) with (fastupdate = off) where tag_ids <> '{}';
-- step
create index concurrently if not exists tasks_of_tag on tasks using gin (tag_ids) with (fastupdate = off) where tag_ids <> '{}';
-- step
-- As in migration 0041; not deals and tasks, whose prepared plans would be made for tables without a row.
analyze contacts, companies;
