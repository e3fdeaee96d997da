import { type Kind, kinds } from '../../conformance/support/requests.ts'
import type { Case } from './names.ts'

const target = (kind: Kind, member: 'id' | 'externalId'): Case => [
  'bulkJobs.create',
  `a ${kind} by ${member}`,
  '404 not_found',
  ({ client }, { ids, keys }) => {
    const targets = [{ [member]: member === 'id' ? ids[kind] : keys[kind] }]
    const changes = kind === 'task' ? { assigneeUuid: null } : { ownerUuid: null }
    return client.post('/bulk-jobs', { entityType: kind, action: 'update', targets, changes })
  },
]

/** What can be named in the routes of bulk jobs. */
export const bulkJobs: readonly Case[] = [
  [
    'bulkJobs.get',
    'the id in the path',
    '404 not_found',
    ({ client }, names) => client.get(`/bulk-jobs/${names.bulkJob}`),
  ],
  ...kinds.flatMap(kind => [target(kind, 'id'), target(kind, 'externalId')]),
]
