import type { IDataObject } from 'n8n-workflow'

/** A position of the change feed, and the number of the last event before it: null if it is not known. */
export interface Place {
  readonly cursor: string
  readonly toSeq: number | null
}

interface Poll {
  /** Where it has begun: null if the node had no place yet. */
  readonly from: Place | null
  /** Where it has ended: null while it is under way. */
  readonly to: Place | null
}

/** The last poll of each node in this process. */
const polls = new Map<string, Poll>()

/**
 * Lets a node poll from the place in its memory, and moves that to where the poll has ended. No event is polled twice: while another poll of
 * the node is under way, which `key` names, this one is not begun and resolves to null. A workflow that is published anew meanwhile has
 * the memory of before; it goes on where that poll has ended.
 */
export async function pollOnce<Found>(
  key: string,
  memory: IDataObject,
  poll: (from: Place | null) => Promise<{ readonly found: Found; readonly to: Place }>,
): Promise<Found | null> {
  const last = polls.get(key)
  if (last !== undefined && last.to === null) return null
  const stored = placeIn(memory)
  const from = last !== undefined && last.from?.cursor === stored?.cursor ? last.to : stored
  polls.set(key, { from, to: null })
  let ended = last
  try {
    const { found, to } = await poll(from)
    ended = { from, to }
    Object.assign(memory, to)
    return found
  } finally {
    if (ended === undefined) polls.delete(key)
    else polls.set(key, ended)
  }
}

function placeIn({ cursor, toSeq }: IDataObject): Place | null {
  return typeof cursor === 'string' ? { cursor, toSeq: typeof toSeq === 'number' ? toSeq : null } : null
}
