import type { ContactUpsert } from '../../../packages/sdk/src/generated/schemas.ts'

/** People as another system has them, each with a key of its own. */
export function* people(count: number): Generator<ContactUpsert> {
  for (let at = 0; at < count; at++) yield { externalId: `person-${at}`, firstName: 'Anna', lastName: `No ${at}` }
}
