import { isDeepStrictEqual } from 'node:util'
import { Courier, type Delivery, partsOf, send } from '../../crash/support/courier.ts'
import { aContact } from '../../support/builders.ts'
import { Client } from '../../support/client.ts'

/** Whether a server goes on with what another one has begun. */
export interface Crossing {
  readonly delivery: Delivery
  readonly listGoesOn: boolean
  readonly feedGoesOn: boolean
  readonly requestIsReplayed: boolean
}

/** Begins a list, a position in the feed and a write on one server, and goes on with them on another. */
export async function cross(from: string, to: string, token: string): Promise<Crossing> {
  const [here, there] = [new Client(from, token), new Client(to, token)]
  const { nextCursor } = (await here.get('/tasks?limit=1')).meta
  const list = await there.get(`/tasks?limit=1&cursor=${nextCursor}`)
  const { cursor } = (await here.get('/changes/cursor')).data
  const delivery = await new Courier(async () => from, token).deliver('POST', '/contacts', aContact())
  const { id } = partsOf(delivery).data
  const changes = await there.get(`/changes?after=${cursor}&limit=100`)
  const again = await send(to, delivery)
  const { status, text } = delivery
  return {
    delivery,
    listGoesOn: list.status === 200 && list.items.length === 1,
    feedGoesOn: changes.items.some(({ resourceId }) => resourceId === id),
    requestIsReplayed: status === 201 && isDeepStrictEqual(again, { status, text, replayed: true }),
  }
}
