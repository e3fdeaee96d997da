-- How far the phone numbers of an organization are normalised anew since its country was set. There is one such run for an
-- organization: another one begins in its place. Records of a kind are read in the order of their ids, so kind and last_id tell where to go on; both are null at the beginning.
create table phone_normalizations (
  organization_id uuid not null,
  id uuid not null,
  status text collate "C" not null,
  kind text collate "C",
  last_id uuid,
  examined bigint not null,
  changed bigint not null,
  created_at timestamptz(3) not null,
  started_at timestamptz(3),
  finished_at timestamptz(3),
  check ((kind is null) = (last_id is null)),
  check ((finished_at is null) = (status in ('queued', 'running'))),
  primary key (organization_id),
  foreign key (organization_id) references organizations (id)
) with (fillfactor = 50);
