import {
  type Caller,
  defineOperation,
  failedAuthenticationLimit,
  limits,
  mayRead,
  type Request,
  type Retention,
  rateWindowSeconds,
} from '../../kernel/index.ts'
import type { JsonObject, Projection } from '../../kernel/schema/index.ts'
import type { Database } from '../../kernel/sql/index.ts'
import { capabilitiesSchema } from './capabilities-schema.ts'
import { capDirectories, type DirectoriesRow, selectDirectories, selectVersion } from './directories.ts'
import { KeptTexts, type Texts } from './kept-texts.ts'

/** `GET /capabilities`: what this organization, application and token may do, and the limits that are enforced. */
export const getCapabilities = defineOperation({
  id: 'capabilities.get',
  method: 'GET',
  path: '/capabilities',
  summary: 'Limits, features and directories of the organization',
  description: 'Directories need their own read scope: tags, custom fields and operators are absent without it.',
  scopes: [],
  answer: { data: capabilitiesSchema },
  async execute(request, { database, retention }) {
    const { caller, operation } = request
    const hidden = directoriesHiddenFrom(caller)
    const { organization, directories } = await textsFor(request, hidden, database)
    const { before, after } = operation.surface.success
    const { apiVersion, crmProvider, ...rest } = describe(caller, retention)
    const data = [
      `{${members({ apiVersion, crmProvider })}`,
      `"organization":${organization}`,
      members(rest),
      `"directories":${directories}}`,
    ]
    const meta = hidden.length === 0 ? {} : { redacted: hidden.map(([, projection]) => projection) }
    return { status: 200, written: [Buffer.from(`${before}${data.join(',')}${after(meta)}`)] }
  },
})

const protectedDirectories: readonly (readonly [string, Projection])[] = [
  ['tags', 'tags'],
  ['customFields', 'custom_fields'],
  ['operators', 'operators'],
]

function directoriesHiddenFrom({ scopes }: Caller): typeof protectedDirectories {
  return protectedDirectories.filter(([, projection]) => !mayRead(projection, scopes))
}

const keptTexts = new WeakMap<Database, KeptTexts>()

/** What comes from the configuration as it is now. It is read and written anew when its version is another one. */
async function textsFor(
  { caller, reader }: Request,
  hidden: typeof protectedDirectories,
  database: Database,
): Promise<Texts> {
  const { organization, application } = caller
  const kept = keptTexts.get(database) ?? new KeptTexts()
  keptTexts.set(database, kept)
  const name = [organization.id, application.id, ...hidden.map(([directory]) => directory)].join(' ')
  const [current] = await database.query(selectVersion, [organization.id], reader)
  const known = kept.find(name, String(current?.version))
  if (known !== null) return known

  const [row] = await database.search<DirectoriesRow>(selectDirectories, [organization.id, application.id], reader)
  if (row === undefined) throw new Error('the directories gave no row')
  const shown = Object.entries(capDirectories(row)).filter(
    ([each]) => !hidden.some(([directory]) => directory === each),
  )
  const texts = {
    version: row.version,
    organization: JSON.stringify(row.organization),
    directories: JSON.stringify(Object.fromEntries(shown)),
  }
  kept.keep(name, texts)
  return texts
}

/** The JSON of an object without its braces. */
function members(object: JsonObject): string {
  return JSON.stringify(object).slice(1, -1)
}

function describe({ application, token, organization }: Caller, retention: Retention) {
  const windowSeconds = rateWindowSeconds
  return {
    apiVersion: 'v1',
    crmProvider: organization.crmProvider,
    application: { id: application.id, name: application.name },
    token: { id: token.id, expiresAt: token.expiresAt, scopes: token.scopes, cidrAllowlist: token.cidrs.length > 0 },
    rateLimits: {
      read: { methods: ['GET', 'HEAD'], limit: application.rateRead, windowSeconds, key: 'application' },
      write: {
        methods: ['POST', 'PATCH', 'PUT', 'DELETE'],
        limit: application.rateWrite,
        windowSeconds,
        key: 'application',
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

/** Parts of the API that this version serves. */
const features = {
  deals: true,
  tasks: true,
  imports: false,
  exports: false,
  search: false,
  analytics: false,
  ai: false,
}
