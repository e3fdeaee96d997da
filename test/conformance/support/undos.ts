import { undoImport } from '../../../server/src/crm/imports/index.ts'
import { Refusal } from '../../../server/src/kernel/index.ts'
import type { JsonObject } from '../../../server/src/kernel/schema/index.ts'
import type { TestApi } from '../../support/api.ts'
import { objectOf } from '../../support/client.ts'
import { runJobs } from '../../support/jobs.ts'
import type { TestOrganization } from '../../support/organization.ts'
import type { Given } from './given.ts'
import { csv, importFile } from './imports.ts'
import { aRecord } from './requests.ts'

const author = { type: 'system', uuid: null, jobId: null, commandUser: 'root' } as const

/** Undoes an import to the end, and gives its undo as the import then shows it. */
export async function undo(
  { api }: Pick<Given, 'api'>,
  organization: TestOrganization,
  importId: unknown,
): Promise<JsonObject> {
  await beginUndo({ api }, organization, importId)
  const worker = await runJobs(api)
  if (worker.failures.length > 0) throw worker.failures[0]?.error
  return objectOf((await organization.client.get(`/imports/${importId}`)).data.undo)
}

/** Imports of a contact and of its link to a company, which were undone. */
export async function anUndoneImport(api: TestApi, organization: TestOrganization): Promise<void> {
  const { client } = organization
  const company = await aRecord('company', organization, { externalId: 'undone' })
  const contacts = await importFile(api, client, csv(['k', 'n'], ['undone', 'Petrova']), {
    mapping: { externalId: 'k', lastName: 'n' },
  })
  const links = await importFile(api, client, csv(['c', 'p'], [company.externalId, 'undone']), {
    entityType: 'company_contacts',
    mapping: { companyExternalId: 'c', contactExternalId: 'p' },
  })
  for (const { id } of [links, contacts]) await undo({ api }, organization, id)
}

/** Begins to undo an import. */
export async function beginUndo(
  { api }: Pick<Given, 'api'>,
  { id }: TestOrganization,
  importId: unknown,
): Promise<void> {
  const begun = await undoImport(String(importId), author, { organizationId: id, services: api.services })
  if (begun instanceof Refusal) throw new Error(begun.message)
}

/** Why an import cannot be undone. */
export const refusalOfUndo = (given: Given, organization: TestOrganization, importId: unknown) =>
  beginUndo(given, organization, importId).then(
    () => null,
    error => String(error.message),
  )
