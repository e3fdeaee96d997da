import { type PartyKind, partyKinds } from '../../conformance/support/activities.ts'
import { aChangeOf, aPart, type Part, parts } from '../../conformance/support/parts.ts'
import { aRecord, plurals } from '../../conformance/support/requests.ts'
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

/** Routes of activities of a contact or company: with the record of the names, and with their activity below a record of its own. */
const belowParty = (kind: PartyKind): Case[] => {
  const call = (
    name: string,
    what: string,
    send: (client: Client, path: string, id: string) => Promise<Answer>,
  ): Case => [
    `${plurals[kind]}.activities.${name}`,
    what,
    '404 not_found',
    async (organization, { ids, activities }) => {
      const ownerId = what === 'the owner in the path' ? ids[kind] : (await aRecord(kind, organization)).id
      return send(organization.client, `/${plurals[kind]}/${ownerId}/activities`, activities[kind])
    },
  ]
  const change = { expectedVersion: 1, ...aChangeOf.activities }
  return [
    call('list', 'the owner in the path', (client, path) => client.get(path)),
    call('create', 'the owner in the path', (client, path) => client.post(path, aPart.activities)),
    ...['the owner in the path', 'the activity in the path'].flatMap(what => [
      call('update', what, (client, path, id) => client.patch(`${path}/${id}`, change)),
      call('remove', what, (client, path, id) => client.delete(`${path}/${id}?expectedVersion=1`)),
    ]),
  ]
}

const takingPart = (kind: 'company' | 'deal', by: 'id' | 'externalId'): Case => [
  `${plurals[kind]}.activities.create`,
  `contact by ${by}`,
  '404 not_found',
  async (organization, { ids, keys }) => {
    const contact = by === 'id' ? { id: ids.contact } : { externalId: keys.contact }
    const { id } = await aRecord(kind, organization)
    return organization.client.post(`/${plurals[kind]}/${id}/activities`, { ...aPart.activities, contact })
  },
]

/** What names something below a deal. */
export const partCases: readonly Case[] = [
  ...parts.flatMap(below),
  ...partyKinds.flatMap(belowParty),
  ...(['company', 'deal'] as const).flatMap(kind => [takingPart(kind, 'id'), takingPart(kind, 'externalId')]),
  [
    'deals.events.list',
    'the deal in the path',
    '404 not_found',
    ({ client }, { ids }) => client.get(`/deals/${ids.deal}/events`),
  ],
]
