/** What the feed of an organization has, and how far a webhook has come in it. */
export interface ReplayGround {
  readonly oldest: number
  readonly head: number
  /** Everything up to this number was sent, is parked or was not wanted. */
  readonly position: number
}

/** Which events to send again: both ends are included. */
export interface ReplayRange {
  readonly fromSeq: number
  readonly toSeq: number
}

/** Why there is nothing to send again. */
export interface NoReplay {
  readonly why: string
}

/**
 * The range that was asked for, or why it cannot be sent. Without `toSeq` it ends where the webhook is: what comes later is sent without a
 * replay.
 */
export function checkedRange(
  { fromSeq, toSeq }: { readonly fromSeq: number; readonly toSeq?: number | undefined },
  { oldest, head, position }: ReplayGround,
): ReplayRange | NoReplay {
  if (oldest > head) return { why: 'the feed has no events' }
  const has = `it has ${oldest} to ${head}`
  for (const seq of [fromSeq, toSeq ?? fromSeq]) {
    if (seq < oldest) return { why: `the feed no longer has event ${seq}: ${has}` }
    if (seq > head) return { why: `the feed has no event ${seq}: ${has}` }
  }
  if (Math.max(fromSeq, toSeq ?? fromSeq) > position)
    return { why: `the webhook is at event ${position}, and later ones are sent without a replay` }
  if (toSeq !== undefined && toSeq < fromSeq) return { why: `event ${toSeq} comes before event ${fromSeq}` }
  return { fromSeq, toSeq: toSeq ?? position }
}
