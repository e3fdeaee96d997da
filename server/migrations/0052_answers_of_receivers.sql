-- The beginning of the answer to a failed call, as text without the secrets of the webhook. It may repeat
-- what was sent, so it is removed when the person is erased.
alter table webhook_failures add column answer text;
create index webhook_failures_answers on webhook_failures (organization_id, resource_id) where answer is not null;
