-- Tasks. What a task is about is kept in columns of its own; each is found from the other side, by whatever removes or
-- merges that record.

create table tasks (
  organization_id uuid not null,
  id uuid not null,
  version bigint not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  created_by_application_id uuid,
  created_by_uuid uuid,
  updated_by_uuid uuid,
  title text not null,
  description text,
  type text not null,
  status text not null check (status in ('todo', 'in_progress', 'done', 'canceled')),
  priority text not null,
  assignee_uuid uuid,
  start_at timestamptz(3),
  -- as it is shown: a date, or a timestamp in UTC
  due_date text collate "C" check (due_date ~ '^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}:\d{2}\.\d{3}Z)?$'),
  completed_at timestamptz(3),
  deal_id uuid,
  contact_id uuid,
  company_id uuid,
  checklist_items_total integer not null,
  checklist_items_done integer not null,
  files_count integer not null,
  custom_fields jsonb not null,
  tag_ids uuid[] not null,
  search_names text not null,
  search_contact_data text not null,
  search_custom_fields text not null,
  foreign key (organization_id, deal_id) references deals (organization_id, id),
  foreign key (organization_id, contact_id) references contacts (organization_id, id),
  foreign key (organization_id, company_id) references companies (organization_id, id)
) with (fillfactor = 85);
create index tasks_newest on tasks (organization_id, created_at, id);
create index tasks_of_deal on tasks (organization_id, deal_id, id) where deal_id is not null;
create index tasks_of_contact on tasks (organization_id, contact_id, id) where contact_id is not null;
create index tasks_of_company on tasks (organization_id, company_id, id) where company_id is not null;
create index tasks_search_names on tasks using gin (organization_id, search_names gin_trgm_ops);
alter table tasks add primary key (organization_id, id);
