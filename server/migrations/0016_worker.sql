-- The workers of the installation that live: what a worker has locked that is not here, or is silent, is free for others.
create table job_workers (
  id text primary key,
  version text not null,
  started_at timestamptz(3) not null,
  beat_at timestamptz(3) not null
);
