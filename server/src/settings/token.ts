import { isCidr, isScope } from '../kernel/auth/index.ts'
import { defineNested, type RecordState, type SettingsDraft } from '../kernel/index.ts'
import { computed, type Field, violates } from '../kernel/schema/index.ts'
import { application } from './application.ts'
import { controlsOf } from './controls.ts'
import { type InputOf, name, secret, texts } from './fields.ts'
import type { RemovableSetting } from './setting.ts'

const fields = {
  tokenId: { ...computed('', { column: 'text', schema: { type: 'string' } }), columnName: 'id' },
  name: name('the name of a token', { help: 'its name' }),
  scopes: grantedScopes(),
  cidrs: texts(
    { isValid: isCidr, reason: network => `"${network}" is no network such as 10.0.0.0/8` },
    {
      option: 'cidr <networks>',
      help: 'accept it from these networks only, such as 10.0.0.0/8,192.0.2.1',
      none: 'accept it from everywhere',
    },
  ),
  secretHash: secret('bytea'),
  expiresAt: moment(),
  revokedAt: moment(),
  rotatedFrom: computed<string | null>(null, { column: 'text', schema: { type: ['string', 'null'] } }),
}

const expiresIn: Field<number | null> = {
  initial: null,
  form: {
    option: 'expires-in <duration>',
    help: 'from now, such as 90d (s, m, h, d)',
    none: 'it does not expire',
    unit: 'duration',
  },
}

/** The input of a token. `expiresIn` is in milliseconds; null: it does not expire. */
export type TokenInput = InputOf<typeof fields & { expiresIn: typeof expiresIn }>

export const tokenControls = controlsOf({ ...fields, expiresIn })

/** The credential of an application. Its text is shown once; only a hash of its secret is stored. */
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
  fields,
})

/** Its text is generated, shown once and stored as a hash, so its operations are not derived from the declaration: see `tokens.ts`. */
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
    form: { option: 'scopes <scopes>', help: 'all, or a list such as crm_contacts_read,crm_deals_read' },
    requiredOnCreate: true,
    input: { type: 'array', items: { type: 'string' }, minItems: 1 },
    explain: () => 'a token needs at least one scope',
  }
}
