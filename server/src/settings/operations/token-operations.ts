import {
  cabinetConventions,
  cabinetPath,
  defineOperation,
  expectedVersionSchema,
  jsonBody,
  type Operation,
  type OwnRefusal,
  Refusal,
  type Request,
  type Resource,
  refuseMissingScopes,
  type Services,
} from '../../kernel/index.ts'
import { isObject, type JsonObject, type JsonSchema, listSchema } from '../../kernel/schema/index.ts'
import { textsOf } from '../../kernel/sql/index.ts'
import { noSuch } from '../administration-error.ts'
import { removeSetting } from '../remove-setting.ts'
import { listSettings } from '../show-settings.ts'
import { token } from '../token.ts'
import { rotateToken } from '../token-rotation.ts'
import { createToken, revokeToken, setToken } from '../tokens.ts'
import { administrationBy, answerAdministration } from './answer-administration.ts'
import { settingVersion, staleSetting } from './setting-body.ts'

const path = cabinetPath('/settings/tokens')
const common = {
  conventions: cabinetConventions,
  idempotent: false,
  scopes: ['tokens_manage'],
  chosenIds: ['id'],
} as const

const missingToken: OwnRefusal = ['not_found', 'There is no such token.']

const properties: Readonly<Record<string, JsonSchema>> = {
  name: { type: 'string', minLength: 1, maxLength: 200 },
  scopes: { type: 'array', items: { type: 'string' }, minItems: 1, description: '`all`: all that you have yourself.' },
  cidrs: { type: 'array', items: { type: 'string' }, description: 'Networks; from everywhere if there are none.' },
  expiresInSeconds: {
    type: ['integer', 'null'],
    minimum: 1,
    maximum: 3_153_600_000,
    description: 'null: it does not expire.',
  },
}

/** `GET …/settings/tokens`: the tokens of all applications, without their secrets; with their last use and refusal. */
const listTokens = defineOperation({
  ...common,
  id: 'settings.tokens.list',
  method: 'GET',
  path,
  summary: 'List the tokens of all applications',
  answer: { data: listSchema(tokenSchema('ListedToken', settingVersion)) },
  async execute({ caller }, { database }) {
    const data = await listSettings(database, token, { organizationId: caller.organization.id })
    return { status: 200, data, meta: {} }
  },
})

/** `GET …/settings/tokens/{id}`. */
const getToken = defineOperation({
  ...common,
  id: 'settings.tokens.get',
  method: 'GET',
  path: `${path}/{id}`,
  summary: 'Read a token',
  refuses: [missingToken],
  answer: { data: tokenSchema('ShownToken', settingVersion) },
  execute: (request, services) => answerWith(200, () => knownToken(request, services)),
})

/** `POST …/settings/tokens`: the only answer with the text of the token. A repetition makes another one, so it is never stored. */
const issueToken = defineOperation({
  ...common,
  id: 'settings.tokens.create',
  method: 'POST',
  path,
  summary: 'Create a token, and show it once',
  needsFreshSignIn: true,
  success: [201],
  body: jsonBody('TokenCreate', { applicationId: { type: 'string', format: 'uuid' }, ...properties }, [
    'cidrs',
    'expiresInSeconds',
  ]),
  valueScopes: scopesIn,
  refuses: [
    ['not_found', 'There is no such application.'],
    ['unprocessable', 'A value is not possible.'],
  ],
  answer: { data: tokenSchema('IssuedToken', { token: { type: 'string' } }) },
  execute: (request, services) =>
    answerWith(201, () => {
      const { applicationId, ...asked } = inputOf(request)
      const address = { organizationId: request.caller.organization.id, applicationId: String(applicationId) }
      return createToken(administrationBy(request, services), { ...address, ...asked })
    }),
})

/** `PATCH …/settings/tokens/{id}`. */
const changeToken = defineOperation({
  ...common,
  id: 'settings.tokens.update',
  method: 'PATCH',
  path: `${path}/{id}`,
  summary: 'Change a token',
  body: jsonBody('TokenUpdate', { expectedVersion: expectedVersionSchema, ...properties }, Object.keys(properties)),
  valueScopes: scopesIn,
  refuses: [...ofToken('It is revoked, or a value is not possible.'), staleSetting],
  answer: { data: tokenSchema('ChangedToken', settingVersion) },
  execute: (request, services) =>
    answerWith(200, async () => {
      const { expectedVersion } = isObject(request.body) ? request.body : {}
      const change = { ...addressOf(request), ...inputOf(request), expectedVersion: Number(expectedVersion) }
      await setToken(administrationBy(request, services), change)
      return knownToken(request, services)
    }),
})

/** `POST …/settings/tokens/{id}/rotate`: the caller must have the scopes of the token, because the answer shows its successor. */
const replaceToken = defineOperation({
  ...common,
  id: 'settings.tokens.rotate',
  method: 'POST',
  path: `${path}/{id}/rotate`,
  summary: 'Replace a token by a new one, and show that once',
  needsFreshSignIn: true,
  body: jsonBody('TokenRotation', { overlapSeconds: { type: 'integer', minimum: 0, maximum: 604_800 } }, [
    'overlapSeconds',
  ]),
  refuses: ofToken('It is no longer valid, or was replaced already.'),
  answer: { data: tokenSchema('RotatedToken', { token: { type: 'string' } }) },
  async execute(request, services) {
    const known = await answerAdministration(() => knownToken(request, services))
    if (known instanceof Refusal) return known
    const lacking = refuseMissingScopes(textsOf(known.scopes), request.caller)
    if (lacking !== null) return lacking
    const { overlapSeconds } = isObject(request.body) ? request.body : {}
    const overlap = Number(overlapSeconds ?? 0) * 1000
    return answerWith(200, () => rotateToken(administrationBy(request, services), { ...addressOf(request), overlap }))
  },
})

/** `POST …/settings/tokens/{id}/revoke`. */
const endToken = defineOperation({
  ...common,
  id: 'settings.tokens.revoke',
  method: 'POST',
  path: `${path}/{id}/revoke`,
  summary: 'Revoke a token at once',
  refuses: ofToken('It is revoked already.'),
  answer: { data: tokenSchema('RevokedToken') },
  execute: (request, services) =>
    answerWith(200, () => revokeToken(administrationBy(request, services), addressOf(request))),
})

/** The operations on tokens. `settingKinds` are all kinds of settings, which may refer to the one that is removed. */
export function tokenOperations(settingKinds: readonly Resource[]): readonly Operation[] {
  const removeToken = defineOperation({
    ...common,
    id: 'settings.tokens.delete',
    method: 'DELETE',
    path: `${path}/{id}`,
    summary: 'Remove a token that is not valid any more',
    refuses: ofToken('It is valid, or something refers to it.'),
    answer: { data: tokenSchema('RemovedToken', { deleted: { type: 'boolean' } }) },
    execute: (request, services) =>
      answerWith(200, async () => {
        const { organizationId, tokenId } = addressOf(request)
        const { recordId } = await knownToken(request, services)
        const kinds = [...services.resources, ...services.nestedResources, ...settingKinds]
        const address = { organizationId, kind: token, id: String(recordId) }
        await removeSetting(administrationBy(request, services), address, kinds)
        return { id: tokenId, deleted: true }
      }),
  })
  return [listTokens, issueToken, getToken, changeToken, replaceToken, endToken, removeToken]
}

async function answerWith(status: number, work: () => Promise<object>) {
  const data = await answerAdministration(work)
  return data instanceof Refusal ? data : { status, data, meta: {} }
}

/** The token that the path names, by its id alone; throws an `AdministrationError` if there is none. */
async function knownToken(request: Request, { database }: Services): Promise<JsonObject> {
  const { organizationId, tokenId } = addressOf(request)
  const known = (await listSettings(database, token, { organizationId })).find(({ id }) => id === tokenId)
  if (known === undefined) throw noSuch('token', tokenId)
  return known
}

function addressOf({ caller, path: { id = '' } }: Request) {
  return { organizationId: caller.organization.id, tokenId: id }
}

function inputOf({ body }: Request) {
  const { expiresInSeconds: seconds, scopes, cidrs, name, applicationId } = isObject(body) ? body : {}
  return {
    applicationId,
    ...(name === undefined ? {} : { name: String(name) }),
    ...(scopes === undefined ? {} : { scopes: textsOf(scopes) }),
    ...(cidrs === undefined ? {} : { cidrs: textsOf(cidrs) }),
    ...(seconds === undefined ? {} : { expiresIn: seconds === null ? null : Number(seconds) * 1000 }),
  }
}

/** The scopes that a token would get. Nobody grants what they lack. */
function scopesIn(body: unknown): readonly string[] {
  return isObject(body) ? textsOf(body.scopes ?? []).filter(scope => scope !== 'all') : []
}

function ofToken(when: string): OwnRefusal[] {
  return [missingToken, ['unprocessable', when]]
}

function tokenSchema(component: string, more: Readonly<Record<string, JsonSchema>> = {}): JsonSchema {
  return { component, type: 'object', required: ['id'], properties: { id: { type: 'string' }, ...more } }
}
