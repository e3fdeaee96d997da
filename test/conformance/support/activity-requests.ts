import type { JsonObject } from '../../../server/src/kernel/schema/index.ts'
import type { TestOrganization } from '../../support/organization.ts'
import { aChangeOf, aPart } from './parts.ts'

type Build = (organization: TestOrganization) => Promise<{ readonly path: string; readonly body?: JsonObject }>

/** A valid request for each operation on activities of contacts or companies, of which `make` makes a new one. */
export function activityRequests(
  plural: 'contacts' | 'companies',
  make: (organization: TestOrganization) => Promise<string>,
): Record<string, Build> {
  const collectionOf = async (organization: TestOrganization) => `/${plural}/${await make(organization)}/activities`
  const withActivity = async (organization: TestOrganization) => {
    const collection = await collectionOf(organization)
    const { status, data, body } = await organization.client.post(collection, aPart.activities)
    if (status !== 201) throw new Error(`no activity was added: ${JSON.stringify(body)}`)
    return { collection, path: `${collection}/${data.id}` }
  }
  return {
    [`${plural}.activities.list`]: async organization => ({ path: (await withActivity(organization)).collection }),
    [`${plural}.activities.create`]: async organization => ({
      path: await collectionOf(organization),
      body: aPart.activities,
    }),
    [`${plural}.activities.update`]: async organization => ({
      path: (await withActivity(organization)).path,
      body: { expectedVersion: 1, ...aChangeOf.activities },
    }),
    [`${plural}.activities.remove`]: async organization => ({
      path: `${(await withActivity(organization)).path}?expectedVersion=1`,
    }),
  }
}
