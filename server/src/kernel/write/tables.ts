import { defineTable, type Table } from '../record/index.ts'

/** The kernel's own tables, for the save statement. */
export const externalKeys: Table = {
  ...defineTable('external_keys', ['application_id', 'kind', 'gone', 'key'], {
    application_id: 'uuid',
    kind: 'text',
    gone: 'boolean',
    key: 'text',
    resource_id: 'uuid',
    reason: 'text',
    changed_at: 'timestamptz',
  }),
  alike: ['application_id', 'kind', 'gone', 'changed_at'],
}

/** When each record was last changed, for lists in that order (ADR 0029). */
export const lastChanges: Table = {
  ...defineTable('last_changes', ['kind', 'updated_at', 'resource_id'], {
    kind: 'text',
    updated_at: 'timestamptz',
    resource_id: 'uuid',
  }),
  mayLackRows: true,
  alike: ['kind', 'updated_at'],
}

export const changeKeys = defineTable('change_keys', ['application_id', 'resource_id'], {
  application_id: 'uuid',
  resource_id: 'uuid',
  key: 'text',
  removed_at: 'timestamptz',
})

export const auditEntries: Table = {
  ...defineTable('audit_entries', ['id'], {
    id: 'uuid',
    occurred_at: 'timestamptz',
    resource_type: 'text',
    resource_id: 'uuid',
    action: 'text',
    application_id: 'uuid',
    actor_type: 'text',
    actor_uuid: 'uuid',
    request_id: 'uuid',
    client_request_id: 'text',
    token_id: 'text',
    entry: 'text',
    address_class: 'text',
    version_before: 'bigint',
    version_after: 'bigint',
    changes: 'jsonb',
    about_ids: 'uuid[]',
    job_id: 'uuid',
    command_user: 'text',
    overwrite: 'boolean',
  }),
  alike: [
    'occurred_at',
    'application_id',
    'actor_type',
    'actor_uuid',
    'request_id',
    'client_request_id',
    'token_id',
    'entry',
    'address_class',
    'job_id',
    'command_user',
  ],
}

export const idempotencyAnswers: Table = {
  ...defineTable('idempotency_answers', ['application_id', 'key'], {
    application_id: 'uuid',
    key: 'text',
    fingerprint: 'bytea',
    created_at: 'timestamptz',
    status: 'integer',
    body: 'text',
    person_ids: 'uuid[]',
    request_id: 'uuid',
    client_request_id: 'text',
    operation: 'text',
  }),
  // Escaping the body of a batch answer into JSON and back cost a quarter of the save.
  large: 'body',
}

export const changesTable: Table = {
  ...defineTable('changes', ['seq'], {
    id: 'uuid',
    kind: 'text',
    resource_type: 'text',
    resource_id: 'uuid',
    operation: 'text',
    version: 'bigint',
    changed_fields: 'text[]',
    merged_into_id: 'uuid',
    merged_from_id: 'uuid',
    occurred_at: 'timestamptz',
    actor_type: 'text',
    actor_uuid: 'uuid',
    application_id: 'uuid',
    request_id: 'uuid',
    job_id: 'uuid',
    transaction_id: 'uuid',
  }),
  alike: ['occurred_at', 'actor_type', 'actor_uuid', 'application_id', 'request_id', 'job_id', 'transaction_id'],
}

/** The feed of an organization, one row. It holds the oldest configuration that may still write records. */
export const organizationFeed = defineTable('organization_feed', [], {
  seq: 'bigint',
  oldest_configuration: 'bigint',
})

export const mergedRecords = defineTable('merged_records', ['id'], {
  id: 'uuid',
  kind: 'text',
  into_id: 'uuid',
  merged_at: 'timestamptz',
})

export const erasureReceipts = defineTable('erasure_receipts', ['id'], {
  id: 'uuid',
  contact_id: 'uuid',
  mode: 'text',
  erased_at: 'timestamptz',
  request_id: 'uuid',
  application_id: 'uuid',
  reached: 'jsonb',
})
