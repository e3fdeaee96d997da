-- The epoch of the change feeds: positions of another one belong to a history that this database does not have. And what the
-- database was known by when it was last connected to, null where the role may not ask: a restored copy and a promoted standby
-- are known by something else.
alter table installation
  add column epoch bigint not null default 1,
  add column system_identifier text,
  add column timeline text,
  add column database_oid text;
