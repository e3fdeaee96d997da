import { QueryCache, QueryClient } from '@tanstack/react-query'
import { Failure } from './failure.ts'
import { leaveForSignIn } from './leave-for-sign-in.ts'
import { meQuery } from './me.ts'

const mostRetries = 2

/** Makes the memory of what was read. A refusal is final; what could not be asked is asked again. A session that has ended leads to the sign-in. */
export function createQueryClient(): QueryClient {
  const client: QueryClient = new QueryClient({
    queryCache: new QueryCache({
      onError(error) {
        if (!(error instanceof Failure) || client.getQueryData(meQuery.queryKey) == null) return
        if (error.code === 'not_signed_in') leaveForSignIn()
        // The organization demands one since a moment ago: its pages say so as soon as that is read.
        if (error.code === 'second_factor_missing') void client.invalidateQueries({ queryKey: meQuery.queryKey })
      },
    }),
    defaultOptions: {
      queries: {
        staleTime: 10_000,
        retry: (failures, error) =>
          failures < mostRetries && error instanceof Failure && (error.status === 0 || error.status >= 500),
      },
    },
  })
  return client
}
