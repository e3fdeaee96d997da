import { aFile } from '../../conformance/support/files.ts'
import { aForm } from '../../conformance/support/forms.ts'
import { aRecord, type Kind, kinds, plurals } from '../../conformance/support/requests.ts'
import type { TestOrganization } from '../../support/organization.ts'
import type { Case } from './names.ts'

const ownPath = async (organization: TestOrganization, kind: Kind) =>
  `/${plurals[kind]}/${(await aRecord(kind, organization)).id}/files`

/** What can be named in the routes of files. */
export const files: readonly Case[] = kinds.flatMap((kind): Case[] => [
  [
    `${plurals[kind]}.files.list`,
    'the owner in the path',
    '404 not_found',
    ({ client }, { ids }) => client.get(`/${plurals[kind]}/${ids[kind]}/files`),
  ],
  [
    `${plurals[kind]}.files.attach`,
    'the owner in the path',
    '404 not_found',
    ({ client }, { ids }) =>
      client.post(`/${plurals[kind]}/${ids[kind]}/files?expectedVersion=1`, undefined, aForm([aFile()])),
  ],
  [
    `${plurals[kind]}.files.detach`,
    'the file of the owner in the path',
    '404 not_found',
    ({ client }, { ids, files: named }) =>
      client.delete(`/${plurals[kind]}/${ids[kind]}/files/${named[kind]}?expectedVersion=2`),
  ],
  [
    `${plurals[kind]}.files.detach`,
    'the file below an own record',
    '404 not_found',
    async (organization, { files: named }) =>
      organization.client.delete(`${await ownPath(organization, kind)}/${named[kind]}?expectedVersion=1`),
  ],
])
