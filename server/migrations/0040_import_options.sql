-- What an import does with companies, tags and cells that it cannot apply, and how many companies it has made. Imports that were started
-- before have no options: they refuse such rows.
alter table imports
  add column options jsonb,
  add column created_companies integer not null default 0;
