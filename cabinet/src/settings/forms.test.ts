import { expect, test } from 'vitest'
import text from '../../../docs/api/cabinet.json?raw'
import { isList, isObject, type Json, type JsonObject } from '../records/record.ts'
import { applicationFields, tokenFields } from './applications/fields.ts'
import { groupScopes } from './applications/scopes.ts'
import { pipelineFields, stageFields } from './kinds/pipeline.ts'
import { customFieldKind, lostReasonKind, tagKind } from './kinds/setting-kinds.ts'
import { invitationFields } from './members/member.ts'
import type { SettingField } from './setting-field.tsx'
import { webhookFields } from './webhooks/webhook.ts'

const read: Json = JSON.parse(text)

function at(value: Json | undefined, ...path: readonly string[]): Json | undefined {
  const [member, ...rest] = path
  if (member === undefined) return value
  return isObject(value) ? at(value[member], ...rest) : undefined
}

/** The members of the body of a request, by their names. */
function bodyOf(schema: string): JsonObject {
  const members = at(read, 'components', 'schemas', schema, 'properties')
  if (!isObject(members)) throw new Error(`the document has no ${schema}`)
  return members
}

const forms: readonly (readonly [string, 'new' | 'change', readonly SettingField[]])[] = [
  ['ApplicationSettingCreate', 'new', applicationFields],
  ['ApplicationSettingUpdate', 'change', applicationFields],
  ['TokenCreate', 'new', tokenFields],
  ['TokenUpdate', 'change', tokenFields],
  ['MemberInvitation', 'new', invitationFields],
  ['TagSettingCreate', 'new', tagKind.fields],
  ['TagSettingUpdate', 'change', tagKind.fields],
  ['CustomFieldSettingCreate', 'new', customFieldKind.fields],
  ['CustomFieldSettingUpdate', 'change', customFieldKind.fields],
  ['LostReasonSettingCreate', 'new', lostReasonKind.fields],
  ['LostReasonSettingUpdate', 'change', lostReasonKind.fields],
  ['PipelineSettingCreate', 'new', pipelineFields],
  ['PipelineSettingUpdate', 'change', pipelineFields],
  ['StageSettingCreate', 'new', stageFields],
  ['StageSettingUpdate', 'change', stageFields],
  ['WebhookCreate', 'new', webhookFields],
  ['WebhookUpdate', 'change', webhookFields],
]

test.each(forms)('the form of %s asks for what the server takes, in its limits', (schema, when, fields) => {
  const members = bodyOf(schema)
  const offered = fields.filter(({ only }) => only === undefined || only === when)
  // Lists of people choose from spans of time, which become seconds.
  const names = offered.map(({ name }) => (name === 'expires' ? 'expiresInSeconds' : name))
  expect(names.filter(name => members[name] === undefined)).toEqual([])
  for (const { name, max } of offered)
    if (max !== undefined) expect([name, max]).toEqual([name, at(members, name, 'maxLength')])
  if (when === 'change') return
  const required = at(read, 'components', 'schemas', schema, 'required')
  const asked = fields.filter(({ isRequired }) => isRequired).map(({ name }) => name)
  const besides = ['applicationId', 'scopes', 'pipelineId']
  expect(
    (isList(required) ? required.map(String) : []).filter(name => !asked.includes(name) && !besides.includes(name)),
  ).toEqual([])
})

test('every scope that a token can have stands in a group that says what it is about', () => {
  const scopes = [...new Set(text.match(/(?<=")(?:crm|channels|ai)_[a-z_]+_(?:read|write|delete|manage)(?=")/gu))]
  expect(scopes.length).toBeGreaterThan(30)
  const groups = groupScopes([...scopes, 'tokens_manage'])
  expect(groups.filter(({ name }) => name === null)).toEqual([])
  expect(groups.flatMap(group => group.scopes.map(({ id }) => id)).toSorted()).toEqual(scopes.toSorted())
})

test('a scope that the pages do not know can be granted under its own name', () => {
  expect(groupScopes(['crm_made_up_read'])).toMatchObject([
    { id: 'crm_made_up', name: null, scopes: [{ id: 'crm_made_up_read', verb: 'Read' }] },
  ])
})
