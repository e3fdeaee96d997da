-- In steps.
-- Erasing a person finds imports that quote cells, and ids of requests that hold an address.
create index concurrently if not exists imports_quoting on imports (organization_id, id)
  where jsonb_path_exists(errors, '$[*] ? (@.value != null)');
-- step
create index concurrently if not exists audit_entries_addressed on audit_entries (organization_id)
  where coalesce(client_request_id, '') like '%@%';
-- step: the partitions are always these
create index concurrently if not exists idempotency_answers_0_addressed on idempotency_answers_0 (organization_id)
  where coalesce(client_request_id, '') like '%@%';
-- step
create index concurrently if not exists idempotency_answers_1_addressed on idempotency_answers_1 (organization_id)
  where coalesce(client_request_id, '') like '%@%';
-- step
create index concurrently if not exists idempotency_answers_2_addressed on idempotency_answers_2 (organization_id)
  where coalesce(client_request_id, '') like '%@%';
-- step
create index concurrently if not exists idempotency_answers_3_addressed on idempotency_answers_3 (organization_id)
  where coalesce(client_request_id, '') like '%@%';
-- step
create index concurrently if not exists idempotency_answers_before_addressed on idempotency_answers_before (organization_id)
  where coalesce(client_request_id, '') like '%@%';
-- step: takes those of the partitions for its own
create index if not exists idempotency_answers_addressed on idempotency_answers (organization_id)
  where coalesce(client_request_id, '') like '%@%';
