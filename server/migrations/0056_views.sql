-- Views of lists: filters, order and columns that a user has kept under a name, and shares with the others or does not. `owner` is the operator
-- who made it.
create table views (
  organization_id uuid not null,
  id uuid not null,
  version bigint not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  owner uuid not null,
  kind text collate "C" not null,
  name text not null,
  shared boolean not null,
  definition jsonb not null,
  primary key (organization_id, id)
);
