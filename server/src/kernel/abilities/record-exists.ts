import type { Request } from '../operation.ts'
import { isAnonymized, type Resource, recordStatements, toRecord } from '../record/index.ts'
import type { Services } from '../services.ts'

/** Whether the organization of the caller has the record, and it is not anonymized. */
export async function recordExists(
  resource: Resource,
  id: string,
  { caller, reader }: Pick<Request, 'caller' | 'reader'>,
  { database }: Pick<Services, 'database'>,
): Promise<boolean> {
  const values = [caller.organization.id, caller.keysOf, id]
  const [row] = await database.query(recordStatements(resource).get, values, reader)
  return row !== undefined && !isAnonymized(resource, toRecord(row))
}
