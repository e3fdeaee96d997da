import { type ApiOptions, startApi, type TestApi } from './api.ts'
import { until } from './waiting.ts'

/** A server whose next group of writes begins when as many wait for it as a test says. */
export interface GatheringApi extends TestApi {
  /** Sends requests, and lets those that come into the lane begin together, once so many are there. */
  together<Result>(count: number, send: () => Promise<Result>): Promise<Result>
}

/** Starts a server that lets writes gather. */
export async function startGatheringApi(options: Omit<ApiOptions, 'holdLanes'> = {}): Promise<GatheringApi> {
  let wanted = 0
  const api: TestApi = await startApi({
    ...options,
    async holdLanes() {
      // Whoever waits for too long is refused by then, and the test fails.
      const isThere = () => api.services.lanes.waiting >= wanted || api.services.lanes.waiting === 0
      await until(`${wanted} writes that wait`, isThere)
      if (api.services.lanes.waiting > 0) wanted = 0
    },
  })
  return {
    ...api,
    async together(count, send) {
      wanted = count
      const result = await send()
      const isMissed = wanted > 0
      wanted = 0
      if (isMissed) throw new Error(`${count} writes were to begin together, and fewer came`)
      return result
    },
  }
}
