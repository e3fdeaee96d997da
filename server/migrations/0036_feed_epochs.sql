-- The epoch of a feed is that of the installation and this one together: a new epoch of one organization leaves the others alone.
alter table organization_feed add column epoch bigint not null default 0;
