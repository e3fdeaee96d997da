-- Links of companies with contacts. position has no unique index: a new order is an update of positions, in any order of
-- rows.
create table company_contacts (
  organization_id uuid not null,
  id uuid not null,
  version bigint not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  company_id uuid not null,
  contact_id uuid not null,
  role text,
  position integer not null,
  foreign key (organization_id, company_id) references companies (organization_id, id) on delete cascade,
  foreign key (organization_id, contact_id) references contacts (organization_id, id)
);
create index company_contacts_of_contact on company_contacts (organization_id, contact_id);
create unique index company_contacts_once on company_contacts (organization_id, company_id, contact_id);
create index company_contacts_in_order on company_contacts (organization_id, company_id, position, id);
alter table company_contacts add primary key (organization_id, id);
