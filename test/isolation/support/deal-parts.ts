import { aChangeOf, aPart, type Part, parts } from '../../conformance/support/parts.ts'
import { aRecord } from '../../conformance/support/requests.ts'
import type { Answer, Client } from '../../support/client.ts'
import type { Case } from './names.ts'

/** Routes below a deal: with the deal of the names, and with their part below a deal of its own. */
const below = (part: Part): Case[] => {
  const call = (
    name: string,
    what: string,
    send: (client: Client, path: string, id: string) => Promise<Answer>,
  ): Case => [
    `deals.${part}.${name}`,
    what,
    '404 not_found',
    async (organization, { ids, parts: named }) => {
      const dealId = what === 'the deal in the path' ? ids.deal : (await aRecord('deal', organization)).id
      return send(organization.client, `/deals/${dealId}/${part}`, named[part])
    },
  ]
  const change = { expectedVersion: 1, ...aChangeOf[part] }
  return [
    call('list', 'the deal in the path', (client, path) => client.get(path)),
    call('create', 'the deal in the path', (client, path) => client.post(path, aPart[part])),
    ...['the deal in the path', 'the part in the path'].flatMap(what => [
      call('update', what, (client, path, id) => client.patch(`${path}/${id}`, change)),
      call('remove', what, (client, path, id) => client.delete(`${path}/${id}?expectedVersion=1`)),
    ]),
  ]
}

const takingPart = (by: 'id' | 'externalId'): Case => [
  'deals.activities.create',
  `contact by ${by}`,
  '404 not_found',
  async (organization, { ids, keys }) => {
    const contact = by === 'id' ? { id: ids.contact } : { externalId: keys.contact }
    const { id } = await aRecord('deal', organization)
    return organization.client.post(`/deals/${id}/activities`, { ...aPart.activities, contact })
  },
]

/** What names something below a deal. */
export const partCases: readonly Case[] = [
  ...parts.flatMap(below),
  takingPart('id'),
  takingPart('externalId'),
  [
    'deals.events.list',
    'the deal in the path',
    '404 not_found',
    ({ client }, { ids }) => client.get(`/deals/${ids.deal}/events`),
  ],
]
