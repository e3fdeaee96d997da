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
        const isOver = error instanceof Failure && error.code === 'not_signed_in'
        if (isOver && client.getQueryData(meQuery.queryKey) != null) leaveForSignIn()
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
