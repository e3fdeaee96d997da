import { aFile } from '../../conformance/support/files.ts'
import { aForm } from '../../conformance/support/forms.ts'
import { aRecord } from '../../conformance/support/requests.ts'
import type { TestOrganization } from '../../support/organization.ts'
import type { Case } from './names.ts'

const kinds = ['deal', 'task'] as const

const ownPath = async (organization: TestOrganization, kind: (typeof kinds)[number]) =>
  `/${kind}s/${(await aRecord(kind, organization)).id}/files`

/** What can be named in the routes of files of deals and tasks. */
export const files: readonly Case[] = kinds.flatMap((kind): Case[] => [
  [
    `${kind}s.files.list`,
    'the owner in the path',
    '404 not_found',
    ({ client }, { ids }) => client.get(`/${kind}s/${ids[kind]}/files`),
  ],
  [
    `${kind}s.files.attach`,
    'the owner in the path',
    '404 not_found',
    ({ client }, { ids }) => client.post(`/${kind}s/${ids[kind]}/files?expectedVersion=1`, undefined, aForm([aFile()])),
  ],
  [
    `${kind}s.files.detach`,
    'the file of the owner in the path',
    '404 not_found',
    ({ client }, { ids, files: named }) =>
      client.delete(`/${kind}s/${ids[kind]}/files/${named[kind]}?expectedVersion=2`),
  ],
  [
    `${kind}s.files.detach`,
    'the file below an own record',
    '404 not_found',
    async (organization, { files: named }) =>
      organization.client.delete(`${await ownPath(organization, kind)}/${named[kind]}?expectedVersion=1`),
  ],
])
