-- A position is a place: the n-th of what belongs to one record. What is kept is a rank, ascending by bytes, so that one
-- record takes a place without any other being written. The order that there is stays as it is.
--
-- A server of the release before runs on beside this for a while. What it adds has no rank of its own and comes behind all
-- others, in the order of time; what it does not know comes last where it looks. The column position goes with a later
-- migration.
create function rank_behind_all() returns text language sql volatile as $$
  select 'z' || lpad((extract(epoch from clock_timestamp()) * 1000000)::bigint::text, 26, '0')
             || replace(gen_random_uuid()::text, '-', '') || '1'
$$;

-- Foreign keys and primary keys are made anew: a primary key has to be the youngest index of its table.
alter table checklist_items drop constraint checklist_items_organization_id_checklist_id_fkey;

alter table deal_items add column rank text collate "C";
update deal_items t set rank = 'e' || lpad(p.place::text, 5, '0')
  from (select organization_id, id,
               row_number() over (partition by organization_id, deal_id order by position, id) as place
          from deal_items) as p
 where t.organization_id = p.organization_id and t.id = p.id;
alter table deal_items alter column rank set default rank_behind_all(), alter column rank set not null,
  alter column position set default 1000000000, drop constraint deal_items_pkey;
drop index deal_items_in_order;
create index deal_items_in_order on deal_items (organization_id, deal_id, rank, id);
alter table deal_items add primary key (organization_id, id);

alter table company_contacts add column rank text collate "C";
update company_contacts t set rank = 'e' || lpad(p.place::text, 5, '0')
  from (select organization_id, id,
               row_number() over (partition by organization_id, company_id order by position, id) as place
          from company_contacts) as p
 where t.organization_id = p.organization_id and t.id = p.id;
alter table company_contacts alter column rank set default rank_behind_all(), alter column rank set not null,
  alter column position set default 1000000000, drop constraint company_contacts_pkey;
drop index company_contacts_in_order;
create index company_contacts_in_order on company_contacts (organization_id, company_id, rank, id);
alter table company_contacts add primary key (organization_id, id);

alter table checklists add column rank text collate "C";
update checklists t set rank = 'e' || lpad(p.place::text, 5, '0')
  from (select organization_id, id,
               row_number() over (partition by organization_id, task_id order by position, id) as place
          from checklists) as p
 where t.organization_id = p.organization_id and t.id = p.id;
alter table checklists alter column rank set default rank_behind_all(), alter column rank set not null,
  alter column position set default 1000000000, drop constraint checklists_pkey;
drop index checklists_in_order;
create index checklists_in_order on checklists (organization_id, task_id, rank, id);
alter table checklists add primary key (organization_id, id);

alter table checklist_items add column rank text collate "C";
update checklist_items t set rank = 'e' || lpad(p.place::text, 5, '0')
  from (select organization_id, id,
               row_number() over (partition by organization_id, checklist_id order by position, id) as place
          from checklist_items) as p
 where t.organization_id = p.organization_id and t.id = p.id;
alter table checklist_items alter column rank set default rank_behind_all(), alter column rank set not null,
  alter column position set default 1000000000, drop constraint checklist_items_pkey;
drop index checklist_items_in_order;
create index checklist_items_in_order on checklist_items (organization_id, checklist_id, rank, id);
alter table checklist_items add primary key (organization_id, id);

alter table checklist_items add foreign key (organization_id, checklist_id)
  references checklists (organization_id, id) on delete cascade;
