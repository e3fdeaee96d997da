import { cabinetOperations, operations } from '../../../server/src/modules.ts'
import { type Given, useApi } from '../../conformance/support/given.ts'
import type { Answer, Client } from '../../support/client.ts'
import type { TestOrganization } from '../../support/organization.ts'

/** An API that also serves the operations of the cabinet, to tokens: what they read and refuse follows from the scopes alone. */
export function useReads(options: Parameters<typeof useApi>[0] = {}): Given {
  return useApi({ ...options, operations: [...operations, ...cabinetOperations] })
}

/** Reads below the path of an organization in the cabinet: `/counts/contacts`. */
export function readIn(
  { id, client }: Pick<TestOrganization, 'id' | 'client'>,
  path: string,
  by: Client = client,
): Promise<Answer> {
  return by.get(`/cabinet/api/o/${id}${path}`)
}
