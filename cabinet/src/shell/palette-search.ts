import { queryOptions } from '@tanstack/react-query'
import { request } from '../api/index.ts'

/** A record that the search has found. */
export interface Hit {
  readonly type: 'contact' | 'company' | 'deal' | 'task'
  readonly id: string
  readonly title: string
  readonly subtitle: string | null
}

/** In which list each kind stands. */
export const placeOf: Readonly<Record<Hit['type'], string>> = {
  contact: 'contacts',
  company: 'companies',
  deal: 'deals',
  task: 'tasks',
}

/** The path of a record behind the organization. */
export const pathOfHit = ({ type, id }: Pick<Hit, 'type' | 'id'>): string => `${placeOf[type]}/${id}`

/** The server searches for words of this length. */
const least = 2
const most = 200
const limit = 12

/** What the search finds for a text. The last answer stays in sight until the next one is there. */
export function hitsQuery(organization: string | undefined, text: string) {
  return queryOptions<readonly Hit[]>({
    queryKey: ['search', organization, text],
    queryFn: ({ signal }) =>
      request<readonly Hit[]>('GET', `/o/${organization}/crm/search`, {
        query: { q: text.slice(0, most), limit },
        signal,
      }),
    enabled: organization !== undefined && text.length >= least,
    placeholderData: (previous, query) =>
      text.length >= least && query?.queryKey[1] === organization ? previous : undefined,
    retry: false,
  })
}
