-- How many requests an application has made on a day in UTC, and how many of them were refused or failed. Servers add what they have counted
-- every few seconds; the upkeep removes days beyond 90.
create table request_counts (
  organization_id uuid not null,
  application_id uuid not null,
  day date not null,
  requests bigint not null,
  refusals bigint not null,
  primary key (organization_id, application_id, day),
  foreign key (organization_id, application_id) references applications (organization_id, id) on delete cascade
) with (fillfactor = 50);
