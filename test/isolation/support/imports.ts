import type { JsonObject } from '../../../server/src/kernel/schema/index.ts'
import { csv, upload } from '../../conformance/support/imports.ts'
import type { Case } from './names.ts'

const started = { mapping: { firstName: 'First name' }, dedupPolicy: 'create_or_update' }

const change = (action: string, body?: JsonObject): Case => [
  `imports.${action}`,
  'the id in the path',
  '404 not_found',
  ({ client }, names) => client.post(`/imports/${names.import}/${action}`, body),
]

/** What can be named in the routes of imports. What the rows name is looked for where all imports look for it. */
export const imports: readonly Case[] = [
  ['imports.get', 'the id in the path', '404 not_found', ({ client }, names) => client.get(`/imports/${names.import}`)],
  change('preview', {}),
  change('start', started),
  change('cancel'),
  [
    'imports.upload',
    'the id of a contact in a row',
    '201',
    ({ client }, { ids }) => upload(client, csv(['uuid', 'First name'], [ids.contact, 'Anna'])),
  ],
]
