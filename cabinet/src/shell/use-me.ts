import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { type Me, type Membership, meQuery } from '../api/index.ts'
import { currentOrganization } from './organizations.ts'

/** Who has signed in. Only for pages that need a session: throws on others. */
export function useMe(): Me {
  const { data } = useQuery(meQuery)
  if (data == null) throw new Error('this page needs a session')
  return data
}

/** The organization of the page, or the one used last on pages that are of none; undefined if the user does not belong to it. */
export function useOrganization(): Membership | undefined {
  const me = useMe()
  const { organization } = useParams({ strict: false })
  return currentOrganization(me, organization)
}
