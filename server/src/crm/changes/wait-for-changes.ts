import {
  type Caller,
  type Outcome,
  Refusal,
  type Request,
  type Services,
  secondsParameter,
  type Waiting,
} from '../../kernel/index.ts'
import { type FeedPage, lastSeqFrom } from './feed-page.ts'

/** `wait` of a request for changes. */
export const waitParameter = secondsParameter(
  30,
  'How long to wait if there is no change to show yet. The answer comes with the first one, or empty when the time is over',
  20,
)

/** How to read the page of a request. */
interface AwaitedPage {
  /** For how many seconds to wait at most. */
  readonly seconds: number
  typesFor(caller: Caller): readonly string[]
  read(caller: Caller): Promise<FeedPage | Refusal>
}

/** A page, and the caller as of the time when it was read. */
interface WaitedPage {
  readonly page: Outcome & Pick<FeedPage, 'data'>
  readonly caller: Caller
}

/**
 * Waits until there is an event to show after an empty page, and reads the page anew: with events, or empty when the time is over or the
 * server stops. A page that has something to tell is returned at once, and so is one without room to wait: then the client asks again in a
 * second. The token passes its gates once more, because it may have been revoked meanwhile.
 */
export async function waitForChanges(
  first: FeedPage,
  { seconds, typesFor, read }: AwaitedPage,
  { caller }: Pick<Request, 'caller'>,
  { feedWaits }: Pick<Services, 'feedWaits'>,
  { passAgain, whenLeft, waited }: Waiting,
): Promise<WaitedPage | Refusal> {
  const organizationId = caller.organization.id
  const notWaited = { caller, page: withWaited(first, false) }
  if (hasNews(first) || seconds === 0) return notWaited
  const leave = feedWaits.enter(organizationId)
  if (leave === null) return { caller, page: { ...notWaited.page, retryAfterSeconds: 1 } }
  const begun = performance.now()
  const until = begun + seconds * 1000
  // A page ends at the last number that it may look at, even if nothing up to it is to be shown.
  const lastSeq = lastSeqFrom(first.meta.range)
  try {
    let [page, present] = [first, caller]
    for (;;) {
      const types = new Set(typesFor(present))
      const after = page.meta.range.toSeq
      const end = await feedWaits.next({ organizationId, after, types, lastSeq, until, whenLeft })
      if (end === 'left') return { caller, page: withWaited(page, true) }
      const again = await passAgain()
      if (again instanceof Refusal) return again
      const next = await read(again)
      if (next instanceof Refusal) return next
      // A false alarm may come again at once, and must not outlive the time.
      if (end === 'over' || hasNews(next) || performance.now() >= until)
        return { caller: again, page: withWaited(next, true) }
      page = next
      present = again
    }
  } finally {
    leave()
    waited(performance.now() - begun)
  }
}

function hasNews({ data, meta }: FeedPage): boolean {
  return data.length > 0 || meta.hasMore
}

function withWaited(page: FeedPage, waited: boolean): WaitedPage['page'] {
  return { ...page, meta: { ...page.meta, waited } }
}
