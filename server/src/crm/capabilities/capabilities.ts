import {
  type Caller,
  defineOperation,
  failedAuthenticationLimit,
  limits,
  mayRead,
  rateWindowSeconds,
} from '../../kernel/index.ts'
import { isObject, type Projection } from '../../kernel/schema/index.ts'
import { capabilitiesSchema } from './capabilities-schema.ts'
import { capDirectories, type DirectoriesRow, selectDirectories } from './directories.ts'

/** `GET /capabilities`: what this organization, application and token may do, and the limits that are enforced. */
export const getCapabilities = defineOperation({
  id: 'capabilities.get',
  method: 'GET',
  path: '/capabilities',
  summary: 'Limits, features and directories of the organization',
  description: 'Directories need their own read scope: tags, custom fields and operators are absent without it.',
  scopes: [],
  answer: { data: capabilitiesSchema },
  async execute({ caller, reader }, { database }) {
    const values = [caller.organization.id, caller.application.id]
    const [row] = await database.search<DirectoriesRow>(selectDirectories, values, reader)
    if (row === undefined) throw new Error('the directories gave no row')
    return { status: 200, data: describe(caller, row), meta: {} }
  },
  project(data, { scopes }) {
    if (!isObject(data) || !isObject(data.directories)) return { data, redacted: [] }
    const hidden = protectedDirectories.filter(([, projection]) => !mayRead(projection, scopes))
    if (hidden.length === 0) return { data, redacted: [] }
    const names: readonly string[] = hidden.map(([name]) => name)
    const directories = Object.fromEntries(Object.entries(data.directories).filter(([name]) => !names.includes(name)))
    return { data: { ...data, directories }, redacted: hidden.map(([, projection]) => projection) }
  },
})

const protectedDirectories: readonly (readonly [string, Projection])[] = [
  ['tags', 'tags'],
  ['customFields', 'custom_fields'],
  ['operators', 'operators'],
]

function describe({ application, token, organization }: Caller, row: DirectoriesRow) {
  const windowSeconds = rateWindowSeconds
  return {
    apiVersion: 'v1',
    crmProvider: organization.crmProvider,
    organization: row.organization,
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
    limits,
    features,
    directories: capDirectories(row),
  }
}

/** Parts of the API that this version serves. */
const features = {
  deals: true,
  tasks: true,
  imports: false,
  exports: false,
  search: true,
  analytics: false,
  ai: false,
}
