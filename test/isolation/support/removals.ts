import type { JsonObject } from '../../../server/src/kernel/schema/index.ts'
import { aRecord, plurals } from '../../conformance/support/requests.ts'
import type { Case } from './names.ts'

/** Deletes that name a record of another organization. */
export const deletion = (kind: 'contact' | 'company', body: JsonObject): Case[] => [
  [
    `${plurals[kind]}.deletePreview`,
    'the id in the path',
    '404 not_found',
    ({ client }, { ids }) => client.get(`/${plurals[kind]}/${ids[kind]}/delete/preview`),
  ],
  [
    `${plurals[kind]}.deleteCommit`,
    'the id in the path',
    '404 not_found',
    ({ client }, { ids }) => client.post(`/${plurals[kind]}/${ids[kind]}/delete/commit`, body),
  ],
]

/** Merges that name one. */
export const merge = (kind: 'contact' | 'company'): Case[] => {
  const commit = { expectedPrimaryVersion: 1, expectedSecondaryVersion: 1, fieldResolutions: {} }
  const sides = [
    ['the id of the primary', (own: unknown, other: unknown) => ({ primaryId: other, secondaryId: own })],
    ['the id of the secondary', (own: unknown, other: unknown) => ({ primaryId: own, secondaryId: other })],
  ] as const
  const byId = sides.flatMap(([what, pair]): Case[] => [
    [
      `${plurals[kind]}.mergePreview`,
      what,
      '404 not_found',
      async (organization, { ids }) => {
        const { id } = await aRecord(kind, organization)
        return organization.client.post(`/${plurals[kind]}/merge/preview`, pair(id, ids[kind]))
      },
    ],
    [
      `${plurals[kind]}.mergeCommit`,
      what,
      '404 not_found',
      async (organization, { ids }) => {
        const { id } = await aRecord(kind, organization)
        return organization.client.post(`/${plurals[kind]}/merge/commit`, { ...pair(id, ids[kind]), ...commit })
      },
    ],
  ])
  return [
    ...byId,
    [
      `${plurals[kind]}.mergePreview`,
      'the key of the secondary',
      '404 not_found',
      async (organization, { keys }) => {
        const { externalId } = await aRecord(kind, organization)
        const body = { primary: { externalId }, secondary: { externalId: keys[kind] } }
        return organization.client.post(`/${plurals[kind]}/merge/preview`, body)
      },
    ],
  ]
}
