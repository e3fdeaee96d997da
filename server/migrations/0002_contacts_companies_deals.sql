-- Contacts, companies and deals. The three search columns hold normalised text (lower case, no diacritics): names
-- and titles, contact data, custom fields; they are separate because they may be matched only with separate scopes. References to configuration (operators, stages, reasons) are no foreign
-- keys: nothing configured is ever removed, a write decides by the directory's version, and checking them took a sixth
-- of a batch while it held the feed lock.

create table contacts (
  organization_id uuid not null,
  id uuid not null,
  version bigint not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  created_by_application_id uuid,
  created_by_uuid uuid,
  updated_by_uuid uuid,
  anonymized_at timestamptz(3),
  first_name text,
  middle_name text,
  last_name text,
  job_title text,
  description text,
  source text,
  owner_uuid uuid,
  contact_data jsonb not null,
  custom_fields jsonb not null,
  tag_ids uuid[] not null,
  search_names text not null,
  search_contact_data text not null,
  search_custom_fields text not null
) with (fillfactor = 85);
create index contacts_newest on contacts (organization_id, created_at, id) where anonymized_at is null;
create index contacts_search_names on contacts using gin (organization_id, search_names gin_trgm_ops);
create index contacts_search_contact_data on contacts using gin (organization_id, search_contact_data gin_trgm_ops);
alter table contacts add primary key (organization_id, id);

create table companies (
  organization_id uuid not null,
  id uuid not null,
  version bigint not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  created_by_application_id uuid,
  created_by_uuid uuid,
  updated_by_uuid uuid,
  name text not null,
  legal_name text,
  tax_id text,
  registration_number text,
  industry text,
  employees_count integer,
  websites jsonb not null,
  description text,
  source text,
  owner_uuid uuid,
  contact_data jsonb not null,
  custom_fields jsonb not null,
  tag_ids uuid[] not null,
  search_names text not null,
  search_contact_data text not null,
  search_custom_fields text not null
) with (fillfactor = 85);
create index companies_newest on companies (organization_id, created_at, id);
create index companies_search_names on companies using gin (organization_id, search_names gin_trgm_ops);
create index companies_search_contact_data on companies using gin (organization_id, search_contact_data gin_trgm_ops);
alter table companies add primary key (organization_id, id);

create table deals (
  organization_id uuid not null,
  id uuid not null,
  version bigint not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  created_by_application_id uuid,
  created_by_uuid uuid,
  updated_by_uuid uuid,
  kind text not null check (kind in ('ordinary', 'unsorted')),
  title text not null,
  description text,
  amount numeric,
  currency text,
  items_total numeric not null,
  priority text,
  owner_uuid uuid,
  expected_close_date date,
  pipeline_id uuid not null,
  stage_uuid uuid not null,
  status text not null check (status in ('open', 'won', 'lost')),
  rank text collate "C" not null,
  lost_reason_category_uuid uuid,
  lost_reason_comment text,
  stage_changed_at timestamptz(3) not null,
  -- number of the open row in deal_stage_spans
  stage_span integer not null,
  closed_at timestamptz(3),
  items_count integer not null,
  activities_count integer not null,
  files_count integer not null,
  custom_fields jsonb not null,
  tag_ids uuid[] not null,
  search_names text not null,
  search_contact_data text not null,
  search_custom_fields text not null
) with (fillfactor = 85);
create index deals_newest on deals (organization_id, created_at, id);
create index deals_in_stage on deals (organization_id, stage_uuid, rank);
create index deals_search_names on deals using gin (organization_id, search_names gin_trgm_ops);
alter table deals add primary key (organization_id, id);

-- position has no unique index: a new order is an update of positions, in any order of rows.
create table deal_companies (
  organization_id uuid not null,
  deal_id uuid not null,
  company_id uuid not null,
  position integer not null,
  foreign key (organization_id, deal_id) references deals (organization_id, id),
  foreign key (organization_id, company_id) references companies (organization_id, id)
);
create index deal_companies_of_company on deal_companies (organization_id, company_id);
alter table deal_companies add primary key (organization_id, deal_id, company_id);

create table deal_contacts (
  organization_id uuid not null,
  deal_id uuid not null,
  contact_id uuid not null,
  position integer not null,
  foreign key (organization_id, deal_id) references deals (organization_id, id),
  foreign key (organization_id, contact_id) references contacts (organization_id, id)
);
create index deal_contacts_of_contact on deal_contacts (organization_id, contact_id);
alter table deal_contacts add primary key (organization_id, deal_id, contact_id);

-- The time a deal spent in each stage; the open span has no left_at.
create table deal_stage_spans (
  organization_id uuid not null,
  deal_id uuid not null,
  number integer not null,
  pipeline_id uuid not null,
  stage_uuid uuid not null,
  entered_at timestamptz(3) not null,
  left_at timestamptz(3),
  primary key (organization_id, deal_id, number),
  foreign key (organization_id, deal_id) references deals (organization_id, id) on delete cascade
);

-- The event feed of one deal. No foreign key: entries are never removed, the deal may be.
create table deal_events (
  organization_id uuid not null,
  deal_id uuid not null,
  id uuid not null,
  kind text collate "C" not null,
  created_at timestamptz(3) not null,
  deal_version bigint not null,
  actor_type text not null,
  actor_uuid uuid,
  application_id uuid,
  request_id uuid not null,
  data jsonb not null,
  primary key (organization_id, deal_id, created_at, id)
);
