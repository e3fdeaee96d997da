import { type QueryClient, queryOptions } from '@tanstack/react-query'
import { Failure } from './failure.ts'
import { leaveForSignIn } from './leave-for-sign-in.ts'
import { request } from './request.ts'

/** The user who has signed in, and the organizations of that user. */
export interface Me {
  readonly user: {
    readonly id: string
    readonly email: string
    readonly name: string
    readonly locale: string
    readonly hasSecondFactor: boolean
  }
  readonly organizations: readonly Membership[]
  /** Until when what needs a fresh sign-in can be done. Null: not now. */
  readonly freshUntil: string | null
  readonly build: string
}

export type Role = 'owner' | 'manager' | 'member' | 'read_only'

/** An organization of the signed-in user, and what they are there. */
export interface Membership {
  readonly id: string
  readonly name: string
  readonly role: Role
  /** The id under which records name this person. */
  readonly operatorUuid: string
  readonly permissions: readonly string[]
  readonly timeZone: string
  readonly defaultCurrency: string
  readonly currencies: readonly string[]
  readonly locale: string
  readonly country: string | null
  /** The organization demands a second factor, and this account has none. */
  readonly needsSecondFactor: boolean
}

const meKey = ['me'] as const

/** Who has signed in; null if nobody has. When a session has ended, its user stays until the page is left for the sign-in. */
export const meQuery = queryOptions({
  queryKey: meKey,
  queryFn: async ({ client, signal }): Promise<Me | null> => {
    try {
      return await request<Me>('GET', '/session', { signal })
    } catch (error) {
      if (!(error instanceof Failure) || error.status !== 401) throw error
      const before = client.getQueryData<Me | null>(meKey) ?? null
      if (before !== null) leaveForSignIn()
      return before
    }
  },
  staleTime: 60_000,
})

/** Takes what an answer says about the signed-in user. */
export function keepMe(client: QueryClient, me: Me): void {
  client.setQueryData(meQuery.queryKey, me)
}

/** Ends the session, and forgets everything that it has shown. */
export async function signOut(client: QueryClient): Promise<void> {
  await request('DELETE', '/session')
  client.clear()
}
