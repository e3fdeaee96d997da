import type { TestOrganization } from '../../support/organization.ts'
import { aFile, attach } from './files.ts'
import { aForm, type Form } from './forms.ts'

type Build = (organization: TestOrganization) => Promise<{ readonly path: string; readonly form?: Form }>

/** A valid request for each operation on files of a kind of records, of which `make` makes a new one. */
export function fileRequests(
  plural: 'contacts' | 'companies' | 'deals' | 'tasks',
  make: (organization: TestOrganization) => Promise<string>,
): Record<string, Build> {
  const withFile = async (organization: TestOrganization) => {
    const owner = `/${plural}/${await make(organization)}`
    const { status, items, body } = await attach(organization.client, owner, 1)
    if (status !== 201) throw new Error(`no file was attached: ${JSON.stringify(body)}`)
    return { collection: `${owner}/files`, id: items[0]?.id }
  }
  return {
    [`${plural}.files.list`]: async organization => ({ path: (await withFile(organization)).collection }),
    [`${plural}.files.attach`]: async organization => ({
      path: `/${plural}/${await make(organization)}/files?expectedVersion=1`,
      form: aForm([aFile()]),
    }),
    [`${plural}.files.detach`]: async organization => {
      const { collection, id } = await withFile(organization)
      return { path: `${collection}/${id}?expectedVersion=2` }
    },
  }
}
