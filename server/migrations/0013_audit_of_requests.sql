-- An audit entry tells which token was used, and from what kind of address. Entries from before, and of servers of the release
-- before, do not.
alter table audit_entries
  add column token_id text collate "C",
  add column address_class text collate "C";
