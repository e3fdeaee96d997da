import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import { requestAnswer } from '../api/index.ts'
import { useWorkspace } from '../workspace/workspace.ts'

interface SettingsOptions {
  /** Whether they are read at all. */
  readonly isWanted?: boolean
  /** After how many milliseconds they are read again. */
  readonly again?: number | false
}

/** How often settings are read again by themselves. */
const mostReads = 200

/** The settings of the organization at a path such as `settings/tokens`. A change reads all of them anew. */
export function useSettings<Data>(
  path: string,
  { isWanted = true, again = false }: SettingsOptions = {},
): UseQueryResult<Data> {
  const { organization } = useWorkspace()
  return useQuery({
    queryKey: ['settings', organization.id, path],
    queryFn: async ({ signal }) => (await requestAnswer<Data>('GET', `/o/${organization.id}/${path}`, { signal })).data,
    enabled: isWanted,
    // A page that is left open does not keep the session alive.
    refetchInterval: ({ state }) => (state.dataUpdateCount < mostReads ? again : false),
  })
}
