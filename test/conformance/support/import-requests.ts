import type { JsonObject } from '../../../server/src/kernel/schema/index.ts'
import type { TestOrganization } from '../../support/organization.ts'
import { aForm, type Form } from './forms.ts'

interface Unsent {
  readonly path: string
  readonly body?: JsonObject
  readonly form?: Form
}

/** A valid request for each operation on imports. */
export const importRequests: Readonly<Record<string, (organization: TestOrganization) => Promise<Unsent>>> = {
  'imports.list': async organization => {
    await anImport(organization)
    return { path: '/imports' }
  },
  'imports.upload': async () => ({ path: '/imports', form: importForm() }),
  'imports.get': async organization => ({ path: `/imports/${await anImport(organization)}` }),
  'imports.preview': async organization => ({ path: `/imports/${await anImport(organization)}/preview`, body: {} }),
  'imports.start': async organization => ({
    path: `/imports/${await anImport(organization)}/start`,
    body: { mapping: { firstName: 'First name' }, dedupPolicy: { strategy: 'create_or_update' } },
  }),
  'imports.cancel': async organization => ({ path: `/imports/${await anImport(organization)}/cancel` }),
}

/** A file with one contact. */
function importForm(): Form {
  const file = { name: 'file', fileName: 'contacts.csv', content: 'First name\nAnna\n' }
  return aForm([file, { name: 'entityType', content: 'contacts' }])
}

/** The id of an import that was uploaded. */
async function anImport(organization: TestOrganization): Promise<string> {
  const answer = await organization.client.post('/imports', undefined, importForm())
  if (answer.status !== 201) throw new Error(`no import was taken in: ${JSON.stringify(answer.body)}`)
  return String(answer.data.id)
}
