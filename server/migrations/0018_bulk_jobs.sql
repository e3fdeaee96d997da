-- Bulk jobs: what an application asked to be done to many records, and how far that has come. The targets are done in the
-- order of their ordinals, so the number of those that are done tells where to go on.
create table bulk_jobs (
  organization_id uuid not null,
  id uuid not null,
  application_id uuid not null,
  -- The key of the request. It stands here for as long as the job does, so a late repetition makes no second job.
  idempotency_key text collate "C" not null,
  fingerprint bytea not null,
  entity_type text collate "C" not null,
  action text collate "C" not null,
  changes jsonb not null,
  status text collate "C" not null,
  total integer not null check (total > 0),
  succeeded integer not null default 0,
  unchanged integer not null default 0,
  failed integer not null default 0,
  canceled integer not null default 0,
  created_at timestamptz(3) not null,
  started_at timestamptz(3),
  finished_at timestamptz(3),
  failure_code text collate "C",
  failure_message text,
  check (succeeded + unchanged + failed + canceled <= total),
  check ((finished_at is null) = (status in ('queued', 'running'))),
  foreign key (organization_id) references organizations (id)
) with (fillfactor = 50);
-- While the table is empty, plans take the youngest of the indexes that fit, and keep it: those that find a job come last.
create index bulk_jobs_of_type on bulk_jobs (organization_id, application_id, entity_type, created_at desc, id desc);
create index bulk_jobs_newest on bulk_jobs (organization_id, application_id, created_at desc, id desc);
create index bulk_jobs_by_end on bulk_jobs (organization_id, finished_at) where finished_at is not null;
create index bulk_jobs_unfinished on bulk_jobs (organization_id, created_at) where finished_at is null;
create unique index bulk_jobs_of_key on bulk_jobs (organization_id, application_id, idempotency_key);
alter table bulk_jobs add primary key (organization_id, id);

-- The records of a job, in the order in which they are changed. outcome is null until a target is done.
create table bulk_job_targets (
  organization_id uuid not null,
  job_id uuid not null,
  ordinal integer not null,
  record_id uuid not null,
  expected_version bigint,
  outcome text collate "C",
  primary key (organization_id, job_id, ordinal),
  foreign key (organization_id, job_id) references bulk_jobs (organization_id, id)
) with (fillfactor = 80);

-- Why targets failed. They are apart, so that marking a target changes no index.
create table bulk_job_errors (
  organization_id uuid not null,
  job_id uuid not null,
  ordinal integer not null,
  record_id uuid not null,
  code text collate "C" not null,
  message text not null,
  details jsonb not null,
  occurred_at timestamptz(3) not null,
  primary key (organization_id, job_id, ordinal),
  foreign key (organization_id, job_id) references bulk_jobs (organization_id, id)
);
