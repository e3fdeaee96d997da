import { aBody, type Kind, plurals } from '../../conformance/support/requests.ts'
import type { Case } from './names.ts'

export const trail = (kind: Kind): Case => [
  'audit.list',
  `the id of a ${kind}`,
  '200',
  ({ client }, { ids }) => client.get(`/audit?resourceId=${ids[kind]}`),
]

export const withCompanies: Case = [
  'contacts.get',
  'the id in the path, with its companies',
  '404 not_found',
  ({ client }, { ids }) => client.get(`/contacts/${ids.contact}?include=companies`),
]

export const overwrite = (kind: Kind): Case => [
  `${plurals[kind]}.upsert`,
  'the key, to overwrite',
  '201',
  async (organization, { keys }) =>
    organization.client.post(
      `/${plurals[kind]}/upsert?overwrite=true`,
      await aBody(kind, organization, { externalId: keys[kind] }),
    ),
]
