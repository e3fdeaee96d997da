-- The user of the operating system who ran the command that made a change; null for what no command did.
alter table audit_entries add column command_user text;
