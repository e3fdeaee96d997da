-- Checklists of tasks and their items. They go with what they belong to. Positions have no unique index: a new order is an
-- update of positions, in any order of rows.

create table checklists (
  organization_id uuid not null,
  id uuid not null,
  version bigint not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  task_id uuid not null,
  title text not null,
  position integer not null,
  item_set_version integer not null,
  foreign key (organization_id, task_id) references tasks (organization_id, id) on delete cascade
) with (fillfactor = 85);
create index checklists_in_order on checklists (organization_id, task_id, position, id);
alter table checklists add primary key (organization_id, id);

create table checklist_items (
  organization_id uuid not null,
  id uuid not null,
  version bigint not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  checklist_id uuid not null,
  text text not null,
  is_done boolean not null,
  done_at timestamptz(3),
  done_by_uuid uuid,
  position integer not null,
  foreign key (organization_id, checklist_id) references checklists (organization_id, id) on delete cascade
) with (fillfactor = 85);
create index checklist_items_in_order on checklist_items (organization_id, checklist_id, position, id);
alter table checklist_items add primary key (organization_id, id);
