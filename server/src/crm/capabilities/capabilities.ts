import {
  type Caller,
  defineOperation,
  endOfSuccess,
  failedAuthenticationLimit,
  limits,
  type Retention,
  rateWindowSeconds,
  type SessionCredential,
  type TokenCredential,
} from '../../kernel/index.ts'
import type { JsonObject } from '../../kernel/schema/index.ts'
import { capabilitiesSchema } from './capabilities-schema.ts'
import { directoriesHiddenFrom, textsFor } from './directory-texts.ts'

/** `GET /capabilities`: what this organization, application and token may do, and the limits that apply. */
export const getCapabilities = defineOperation({
  id: 'capabilities.get',
  method: 'GET',
  path: '/api/v1/crm/capabilities',
  summary: 'Limits, features and directories of the organization',
  description: 'Directories need their own read scope: tags, custom fields and operators are absent without it.',
  scopes: [],
  answer: { data: capabilitiesSchema },
  async execute(request, { database, retention }) {
    const { caller, operation } = request
    const hidden = directoriesHiddenFrom(caller)
    const { organization, directories, storage } = await textsFor(request, hidden, database)
    const { conventions } = operation
    const { apiVersion, crmProvider, ...rest } = describe(caller, retention)
    const data = [
      `{${members({ apiVersion, crmProvider })}`,
      `"organization":${organization}`,
      members({ ...rest, storage }),
      `"directories":${directories}}`,
    ]
    const meta = hidden.length === 0 ? {} : { redacted: hidden.map(([, projection]) => projection) }
    const text = `${conventions.success.before}${data.join(',')}${endOfSuccess(conventions, meta)}`
    return { status: 200, written: [Buffer.from(text)] }
  },
})

/** The JSON of an object without its braces. */
function members(object: JsonObject): string {
  return JSON.stringify(object).slice(1, -1)
}

function describe({ credential, rate, organization, scopes }: Caller, retention: Retention) {
  const { application } = credential
  const key = 'token' in credential ? 'application' : 'user'
  const windowSeconds = rateWindowSeconds
  return {
    apiVersion: 'v1',
    crmProvider: organization.crmProvider,
    application: { id: application.id, name: application.name },
    token: 'token' in credential ? describeToken(credential) : describeSession(credential, scopes),
    rateLimits: {
      read: { methods: ['GET', 'HEAD'], limit: rate.read, windowSeconds, key },
      write: {
        methods: ['POST', 'PATCH', 'PUT', 'DELETE'],
        limit: rate.write,
        windowSeconds,
        key,
      },
      failedAuthentication: { limit: failedAuthenticationLimit, windowSeconds, key: 'ip' },
    },
    limits: {
      ...limits,
      idempotencyRetentionSeconds: retention.answers,
      changeRetentionSeconds: retention.changes,
    },
    features,
  }
}

function describeToken({ token }: TokenCredential) {
  return { id: token.id, expiresAt: token.expiresAt, scopes: token.scopes, cidrAllowlist: token.cidrs.length > 0 }
}

/** A session stands where others have a token: it has the rights of the user's role. */
function describeSession({ session }: SessionCredential, permissions: Caller['scopes']) {
  return {
    id: session.id,
    expiresAt: new Date(session.expiresAt).toISOString(),
    scopes: [...permissions],
    cidrAllowlist: false,
  }
}

/** The parts of the API that this version implements. */
const features = {
  deals: true,
  tasks: true,
  imports: true,
  exports: true,
  search: true,
  analytics: true,
  ai: true,
}
