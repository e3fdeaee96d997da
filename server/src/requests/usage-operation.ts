import {
  cabinetConventions,
  cabinetPath,
  dateParameter,
  defineOperation,
  type Module,
  type Resource,
} from '../kernel/index.ts'
import { listSchema, textSchema, uuidSchema } from '../kernel/schema/index.ts'
import { usageOf } from './usage.ts'

const dayMilliseconds = 86_400_000

const countsSchema = (description: string) => ({
  type: 'object',
  additionalProperties: { type: 'integer' },
  description,
})

/** `GET …/settings/usage`: what the organization has and does, as the command `usage` tells it. */
const showUsage = (kinds: readonly Resource[]) =>
  defineOperation({
    conventions: cabinetConventions,
    id: 'settings.usage.get',
    method: 'GET',
    path: cabinetPath('/settings/usage'),
    summary: 'Read how much the organization has, and the requests of its applications',
    description:
      'Records and files as they are now, jobs and requests of the last 30 days unless told. A day is kept for 90 days.',
    scopes: ['tokens_manage'],
    query: { since: dateParameter('Jobs and requests from this day in UTC on') },
    answer: {
      data: {
        component: 'OrganizationUsage',
        type: 'object',
        required: ['since', 'records', 'files', 'bytes', 'jobs', 'applications'],
        properties: {
          since: { type: 'string', format: 'date' },
          records: countsSchema('Records, by the plural of their kind.'),
          files: { type: 'integer' },
          bytes: { type: 'integer', description: 'The size of the files.' },
          jobs: countsSchema('Bulk jobs, exports and imports, as far as they are kept.'),
          applications: listSchema({
            component: 'ApplicationUsage',
            type: 'object',
            required: ['id', 'name', 'requests', 'refusals'],
            properties: {
              id: uuidSchema,
              name: textSchema('The name of the application.', 'ERP'),
              requests: { type: 'integer', description: 'Requests with its tokens.' },
              refusals: { type: 'integer', description: 'How many of them were answered with an error.' },
            },
          }),
        },
      },
    },
    async execute({ caller, query, reader }, { database, clock }) {
      const { since = new Date(clock.now() - 30 * dayMilliseconds).toISOString().slice(0, 10) } = query
      const time = Date.parse(String(since))
      const usage = await usageOf(database, caller.organization.id, time, kinds, reader)
      return { status: 200, data: { since, ...usage }, meta: {} }
    },
  })

/** What an organization is shown of its usage. */
export const usagePages: Module = {
  operations: [],
  cabinetOperations: ({ resources }) => [showUsage(resources)],
}
