-- What became of the rows of an import, until it stands in its file of rows: of a chunk of rows the lines of that file.

create table import_outcomes (
  organization_id uuid not null,
  import_id uuid not null,
  line integer not null,
  outcomes text not null,
  foreign key (organization_id, import_id) references imports (organization_id, id) on delete cascade
);
alter table import_outcomes add primary key (organization_id, import_id, line);

alter table imports add column rows_file_id uuid;
