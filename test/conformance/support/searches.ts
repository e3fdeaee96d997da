import { expect } from 'vitest'
import type { Answer, Client } from '../../support/client.ts'
import type { TestOrganization } from '../../support/organization.ts'
import type { useApi } from './given.ts'
import { aRecord, type Kind } from './requests.ts'

/** The member by which a record of each kind is called. */
export const nameOf: Readonly<Record<Kind, string>> = {
  contact: 'lastName',
  company: 'name',
  deal: 'title',
  task: 'title',
}

/** Makes a record of this name, a second after the one before, and gives its id. */
export function namedRecords({ clock }: Pick<ReturnType<typeof useApi>, 'clock'>) {
  return async (kind: Kind, organization: TestOrganization, name: string): Promise<unknown> => {
    clock.advance(1000)
    const first = kind === 'contact' ? { firstName: null } : {}
    return (await aRecord(kind, organization, { [nameOf[kind]]: name, ...first })).id
  }
}

/** The answer to a search, which has to be a page. */
export async function search(client: Client, q: string, more = ''): Promise<Answer> {
  const answer = await client.get(`/search?q=${encodeURIComponent(q)}${more}`)
  expect([answer.status, answer.error]).toEqual([200, {}])
  return answer
}

/** The ids of what a search finds, in their order. */
export async function idsOf(client: Client, q: string, more = ''): Promise<unknown[]> {
  return (await search(client, q, more)).items.map(({ id }) => id)
}
