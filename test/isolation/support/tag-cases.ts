import type { JsonObject } from '../../../server/src/kernel/schema/index.ts'
import { aRecord, type Kind, plurals } from '../../conformance/support/requests.ts'
import type { Case, Names } from './names.ts'

/** What can be named in the tag routes of a kind. */
export function tagsOf(kind: Kind): Case[] {
  const path = `/${plurals[kind]}`
  const replace = (what: string, tags: (names: Names) => readonly JsonObject[]): Case => [
    `${plurals[kind]}.tags.replace`,
    what,
    '404 not_found',
    async (organization, names) => {
      const id = what === 'the id in the path' ? names.ids[kind] : (await aRecord(kind, organization)).id
      return organization.client.put(`${path}/${id}/tags`, { expectedVersion: 1, tags: tags(names) })
    },
  ]
  return [
    [
      `${plurals[kind]}.tags.list`,
      'the id in the path',
      '404 not_found',
      ({ client }, { ids }) => client.get(`${path}/${ids[kind]}/tags`),
    ],
    replace('the id in the path', () => []),
    replace('a tag by id', ({ tag }) => [{ id: tag }]),
    replace('a tag by externalId', ({ tagKey }) => [{ externalId: tagKey }]),
  ]
}
