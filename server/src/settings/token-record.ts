import { isCidr, isScope } from '../kernel/auth/index.ts'
import { defineNested } from '../kernel/index.ts'
import { computed, type Field } from '../kernel/schema/index.ts'
import { application } from './application-record.ts'
import { name, secret, texts } from './fields.ts'

/** What requests of an application are recognised by. Its text is shown once; a hash of the secret in it is kept. */
export const token = defineNested({
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
    name: name('the name of a token'),
    scopes: grantedScopes(),
    cidrs: texts(isCidr, network => `"${network}" is no network such as 10.0.0.0/8`),
    secretHash: secret('bytea'),
    expiresAt: moment(),
    revokedAt: moment(),
    rotatedFrom: computed<string | null>(null, { column: 'text', schema: { type: ['string', 'null'] } }),
  },
})

function moment(): Field<string | null> {
  return computed<string | null>(null, {
    column: 'timestamptz',
    schema: { type: ['string', 'null'], format: 'date-time' },
  })
}

function grantedScopes(): Field<readonly string[]> {
  return {
    ...texts(isScope, scope => `no such scope: ${scope}`),
    requiredOnCreate: true,
    input: { type: 'array', items: { type: 'string' }, minItems: 1 },
    explain: () => 'a token needs at least one scope',
  }
}
