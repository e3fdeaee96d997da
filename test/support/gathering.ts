import type { Hold } from '../../server/src/kernel/index.ts'
import { type ApiOptions, startApi, type TestApi } from './api.ts'
import { until } from './waiting.ts'

/** A server whose next group commit starts when as many writes wait as a test requires. */
export interface Gathering {
  /** Sends requests, and starts their group commit once `count` of them are queued. */
  together<Result>(count: number, send: () => Promise<Result>): Promise<Result>
}

export type GatheringApi = TestApi & Gathering

/** Starts a server that collects writes. */
export function startGatheringApi(options: Omit<ApiOptions, 'holdGroups'> = {}): Promise<GatheringApi> {
  return letGather(holdGroups => startApi({ ...options, holdGroups }))
}

/** The same with a server of another kind. */
export async function letGather<Api extends TestApi>(
  start: (holdGroups: Hold) => Promise<Api>,
): Promise<Api & Gathering> {
  let wanted = 0
  const api: Api = await start(async () => {
    // A write that waits too long is refused, and the test fails.
    const isThere = () => api.services.groupQueues.waiting >= wanted || api.services.groupQueues.waiting === 0
    await until(`${wanted} writes that wait`, isThere)
    if (api.services.groupQueues.waiting > 0) wanted = 0
  })
  return {
    ...api,
    async together(count, send) {
      wanted = count
      const result = await send()
      const isMissed = wanted > 0
      wanted = 0
      if (isMissed) throw new Error(`fewer than ${count} writes were queued for one group commit`)
      return result
    },
  }
}

/** The statistics of a server's group commits from now on: the groups, and why writes were committed alone. */
export function watchGroups({ services }: Pick<TestApi, 'services'>) {
  const groups: { readonly size: number; readonly hasFailed: boolean }[] = []
  const alone: string[] = []
  services.groupQueues.observer = {
    onGroup: (size, hasFailed) => groups.push({ size, hasFailed }),
    onStart() {},
    onAlone: reason => alone.push(reason),
  }
  return { groups, alone }
}
