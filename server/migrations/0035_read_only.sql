-- Writes of an organization that is read-only are refused, and its jobs wait.
alter table organizations add column read_only boolean not null default false;
