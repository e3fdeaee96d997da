import type { QueryClient } from '@tanstack/react-query'
import { keepMe, type Me, meQuery } from '../api/index.ts'
import { forgetChanges } from '../editing/undo-stack.ts'
import { Drafts } from '../records/drafts.ts'

/** Takes the user of a session that begins. What another user has read, changed or typed in this tab is forgotten. */
export function beginSession(client: QueryClient, me: Me, drafts = new Drafts(sessionStorage)): void {
  drafts.forgetOthers(me.user.id)
  if (client.getQueryData(meQuery.queryKey)?.user.id !== me.user.id) {
    // The page of a link still looks at the one query that is active here.
    client.removeQueries({ type: 'inactive' })
    forgetChanges()
  }
  keepMe(client, me)
}
