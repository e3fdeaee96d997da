import { blockerSchema } from '../abilities/referrers/index.ts'
import type { ApiErrorCode } from '../errors/index.ts'
import { bounds } from '../limits/index.ts'
import { type JsonSchema, listSchema, objectSchema, textSchema, uuidSchema, wordSchema } from '../schema/index.ts'

/** The `details` of one code: the members that may be present, and those that always are. */
interface Details {
  readonly always?: readonly string[]
  readonly members: Readonly<Record<string, JsonSchema>>
}

const integer = { type: 'integer', minimum: 0 }
const ids = { type: 'array', items: uuidSchema }
const words = { type: 'array', items: { type: 'string' } }
const key = { type: ['string', 'null'] }
const path = textSchema('The place in the request that refers to it; absent: the path of the request.')
const currentVersion = { type: 'integer', minimum: 1, description: 'The version of that record now.' }
const none: Details = { members: {} }

/** The members of `details` by code. Add a new member here: a test checks every answer against this table. */
export const errorDetails: Readonly<Record<ApiErrorCode, Details>> = {
  validation_error: {
    members: {
      issues: listSchema(
        { $ref: '#/components/schemas/Issue' },
        `What is wrong, at most ${bounds.issues.most} entries.`,
      ),
      issueCount: { ...integer, description: 'How many issues there are, listed or not.' },
      reason: {
        type: 'string',
        examples: ['duplicate_in_batch', 'deal_party_required', 'too_many_links'],
        description: 'Which rule refused a valid request, for programs.',
      },
      status: { type: 'string', examples: ['completed'], description: 'Of an import: the status that forbids it.' },
      limit: { ...integer, description: 'How many there may be at most, where there would be too many.' },
      oldest: listSchema(
        objectSchema('WaitingUpload', {
          id: uuidSchema,
          fileName: { type: 'string', description: 'What it was called when it was sent.', example: 'contacts.csv' },
          createdAt: { type: 'string', format: 'date-time' },
        }),
        'Where too many uploads wait for their start: the oldest of them, to be started or cancelled.',
      ),
      usedBytes: { ...integer, description: 'Of a quota of files, which `limit` has: how many bytes are used.' },
      neededBytes: { ...integer, description: 'The same: how many bytes more the request needs.' },
      itemId: { ...uuidSchema, description: 'The item that a change of its deal would make invalid.' },
      missing: { ...ids, description: 'Of a new order: ids that are not named.' },
      unexpected: { ...ids, description: 'Of a new order: ids that do not belong there.' },
      duplicates: { ...ids, description: 'Of a new order: ids that are named more than once.' },
      missingResolutions: { ...words, description: 'Of a merge: fields that differ and need a resolution.' },
      unexpectedResolutions: { ...words, description: 'Of a merge: resolutions of fields that do not differ.' },
      blockers: { type: 'array', items: blockerSchema, description: 'What forbids a merge or a removal.' },
    },
  },
  invalid_cursor: none,
  invalid_token: none,
  insufficient_scope: {
    always: ['requiredScopes', 'missingScopes'],
    members: {
      requiredScopes: { ...words, description: 'Scopes that the request needs.' },
      missingScopes: { ...words, description: 'Those of them that the token lacks.' },
    },
  },
  not_found: {
    members: {
      path,
      mergedIntoId: { ...uuidSchema, description: 'The record that the missing one was merged into.' },
      routes: listSchema(
        objectSchema('KnownRoute', {
          path: { type: 'string', description: 'Its path.', examples: ['/api/v1/crm/contacts'] },
          methods: { ...words, description: 'The methods that it has.' },
        }),
        'Of an unknown path or method: the routes of that path, or else those that are near it.',
      ),
      document: { type: 'string', examples: ['/openapi.json'], description: 'Where all routes stand.' },
      missingCount: { ...integer, description: 'Of a bulk job: how many targets there are not.' },
      missing: listSchema(
        objectSchema(
          'MissingTarget',
          {
            index: { ...integer, description: 'Its place in targets.' },
            id: uuidSchema,
            externalId: { type: 'string', description: 'Its key in the request.' },
          },
          ['id', 'externalId'],
        ),
        'The first ten of them.',
      ),
    },
  },
  version_conflict: {
    always: ['currentVersion'],
    members: {
      currentVersion: {
        type: ['integer', 'null'],
        minimum: 1,
        description: 'The version now; null: there is no such record.',
      },
      side: wordSchema('MergeChoice', ['primary', 'secondary'], 'Of a merge: which record has another version.'),
    },
  },
  idempotency_conflict: {
    always: ['firstUsedAt'],
    members: { firstUsedAt: { type: 'string', format: 'date-time', description: 'When the key was first used.' } },
  },
  idempotency_in_progress: none,
  crm_provider_not_supported: none,
  external_id_conflict: {
    members: {
      existingId: { ...uuidSchema, description: 'The record that has the key.' },
      currentVersion,
      primaryExternalId: { ...key, description: 'Of a merge: the key of the primary record.' },
      secondaryExternalId: { ...key, description: 'Of a merge: the key of the secondary record.' },
    },
  },
  already_exists: {
    always: ['path', 'existingId'],
    members: { path, existingId: { type: 'string', description: 'The record that has the id or the name.' } },
  },
  resource_in_use: {
    always: ['usedBy', 'confirm'],
    members: {
      usedBy: listSchema(
        objectSchema('RecordUser', {
          type: { type: 'string', description: 'The kind of the record.', examples: ['agent'] },
          id: uuidSchema,
          name: { type: 'string' },
        }),
        `What uses it and the token may read, at most ${bounds.namedUsers.most} records.`,
      ),
      hiddenCount: { ...integer, description: 'How many use it that the token may not read, where there are any.' },
      confirm: { type: 'string', description: 'What has to stand in the query to remove it anyway.' },
    },
  },
  cursor_expired: {
    always: ['oldestSeq', 'oldestAt', 'retentionSeconds', 'resync'],
    members: {
      oldestSeq: { ...integer, description: 'The number of the oldest event that is kept.' },
      oldestAt: { type: ['string', 'null'], format: 'date-time', description: 'When it happened.' },
      retentionSeconds: { ...integer, description: 'How long events are kept.' },
      resync: { type: 'string', description: 'What to do, in words.' },
    },
  },
  external_reference_deleted: {
    always: ['kind'],
    members: { kind: { type: 'string', description: 'Kind of the removed record.' }, path },
  },
  resource_deleted: {
    members: {
      kind: { type: 'string', description: 'Kind of the anonymized record, where a key named it.' },
      path,
      reason: {
        type: 'string',
        examples: ['person_erased'],
        description: '`person_erased` where a stored answer told of a person who was erased since.',
      },
    },
  },
  payload_too_large: {
    always: ['limitBytes'],
    members: { limitBytes: { ...integer, description: 'The longest body that the operation takes.' } },
  },
  precondition_required: { always: ['currentVersion'], members: { currentVersion } },
  rate_limit_exceeded: {
    always: ['bucket', 'limit', 'windowSeconds', 'retryAfterSeconds'],
    members: {
      bucket: { type: 'string', description: 'Which limit.' },
      limit: { ...integer, description: 'Requests that a window allows.' },
      windowSeconds: { ...integer, description: 'How long a window is.' },
      retryAfterSeconds: { ...integer, description: 'As `Retry-After`.' },
    },
  },
  internal_error: none,
  rate_limiter_unavailable: none,
  service_unavailable: {
    members: {
      bound: {
        type: 'string',
        examples: ['organizationRequests', 'connectionRequests'],
        description: 'What there is too much of at this moment; absent: the database cannot be reached.',
      },
      limit: { ...integer, description: 'How much of it there may be.' },
      reason: {
        type: 'string',
        enum: ['read_only'],
        description: 'Set while the organization is read-only: it refuses every write, and answers reads.',
      },
    },
  },
}
