-- The beginning of the answer to a failed call, as text without the secrets of the webhook. It may repeat what it was sent, so it goes with the record.
alter table webhook_failures add column answer text;
create index webhook_failures_answers on webhook_failures (organization_id, resource_id) where answer is not null;
