import { QueryCache, QueryClient } from '@tanstack/react-query'
import { Failure } from './failure.ts'
import { meQuery } from './me.ts'

const mostRetries = 2

/** Makes the memory of what was read. A refusal is final; what could not be asked is asked again. A session that has ended ends here too. */
export function createQueryClient(): QueryClient {
  const client: QueryClient = new QueryClient({
    queryCache: new QueryCache({
      onError(error) {
        if (error instanceof Failure && error.code === 'not_signed_in') client.setQueryData(meQuery.queryKey, null)
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
