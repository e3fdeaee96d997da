import type { Client } from './client.ts'
import { integerOf, listOf, memberOf, textOf } from './json.ts'
import type { Outcome } from './outcomes.ts'
import { untilNotStale } from './refusal.ts'

/** Represents the customer of opportunities without an account, because a deal needs a company or a contact. */
export const unknownCustomer = { externalId: 'sales-pipeline:unknown-customer', lastName: 'Unknown customer' }

/** Writes one company or contact. There are no batch routes for companies, so each is looked up and upserted alone. */
export async function upsertCustomer(
  client: Client,
  kind: 'companies' | 'contacts',
  record: { externalId: string },
): Promise<{ id: string; outcome: Outcome }> {
  return untilNotStale(async () => {
    // An upsert of an existing record must name its expected version.
    const found = await client.get(`/${kind}?externalId=${encodeURIComponent(record.externalId)}`)
    const [existing] = listOf(found, 'data')
    const expectedVersion = existing === undefined ? undefined : integerOf(existing, 'version')

    const { status, data } = await client.post(`/${kind}/upsert`, { ...record, expectedVersion })
    const isUnchanged = memberOf(data, 'version') === expectedVersion
    return { id: textOf(data, 'id'), outcome: status === 201 ? 'created' : isUnchanged ? 'unchanged' : 'updated' }
  })
}
