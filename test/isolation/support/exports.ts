import type { Case } from './names.ts'

/** What can be named in the routes of exports. */
export const exported: readonly Case[] = [
  ['exports.get', 'the id in the path', '404 not_found', ({ client }, names) => client.get(`/exports/${names.export}`)],
  [
    'exports.create',
    'the stage and the operator as filters',
    '202',
    ({ client }, { stage, operator }) =>
      client.post('/exports', { type: 'deals', filters: { stageUuid: stage, ownerUuid: operator } }),
  ],
]
