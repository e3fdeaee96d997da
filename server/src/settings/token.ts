import { isCidr, isScope } from '../kernel/auth/index.ts'
import { defineNested, type RecordState } from '../kernel/index.ts'
import { computed, type Field, violates } from '../kernel/schema/index.ts'
import type { SettingsDraft } from '../kernel/write/index.ts'
import { application } from './application.ts'
import { name, secret, texts } from './fields.ts'
import type { RemovableSetting } from './setting.ts'

/** What requests of an application are recognised by. Its text is shown once; a hash of the secret in it is kept. */
const record = defineNested({
  kind: 'token',
  plural: 'tokens',
  title: 'Token',
  table: 'api_tokens',
  headColumns: { id: 'record_id' },
  parent: application,
  parentMember: 'applicationId',
  part: 'tokens',
  most: null,
  order: { field: 'createdAt', direction: 'asc' },
  fields: {
    tokenId: { ...computed('', { column: 'text', schema: { type: 'string' } }), columnName: 'id' },
    name: name('the name of a token', { help: 'its name' }),
    scopes: grantedScopes(),
    cidrs: texts({ isValid: isCidr, reason: network => `"${network}" is no network such as 10.0.0.0/8` }),
    secretHash: secret('bytea'),
    expiresAt: moment(),
    revokedAt: moment(),
    rotatedFrom: computed<string | null>(null, { column: 'text', schema: { type: ['string', 'null'] } }),
  },
})

/** Its text is drawn, shown once and kept as a hash, so what is done with tokens is not derived: see `tokens.ts`. */
export const token: RemovableSetting = Object.assign(record, {
  removal: {
    whyNeeded: ({ revokedAt, expiresAt }: RecordState, { write }: SettingsDraft) =>
      revokedAt !== null || isOver(expiresAt, write.now)
        ? null
        : violates('', 'valid_token', 'the token is valid: revoke it first'),
  },
})

function isOver(expiresAt: unknown, now: string): boolean {
  return typeof expiresAt === 'string' && Date.parse(expiresAt) <= Date.parse(now)
}

function moment(): Field<string | null> {
  return computed<string | null>(null, {
    column: 'timestamptz',
    schema: { type: ['string', 'null'], format: 'date-time' },
  })
}

function grantedScopes(): Field<readonly string[]> {
  return {
    ...texts({ isValid: isScope, reason: scope => `no such scope: ${scope}` }),
    requiredOnCreate: true,
    input: { type: 'array', items: { type: 'string' }, minItems: 1 },
    explain: () => 'a token needs at least one scope',
  }
}
