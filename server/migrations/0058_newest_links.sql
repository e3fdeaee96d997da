-- In steps.
-- The newest records that are linked with a record, in the order of their ids, however many there are.
create index concurrently if not exists deal_contacts_of_contact_in_order on deal_contacts (organization_id, contact_id, deal_id);
-- step
create index concurrently if not exists deal_companies_of_company_in_order on deal_companies (organization_id, company_id, deal_id);
-- step
create index concurrently if not exists company_contacts_of_contact_in_order
  on company_contacts (organization_id, contact_id, company_id);
-- step
-- One after another: a cluster drops no two indexes at a time.
drop index if exists deal_contacts_of_contact;
drop index if exists deal_companies_of_company;
drop index if exists company_contacts_of_contact;
