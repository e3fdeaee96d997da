import { Failure } from '../api/index.ts'
import { isWorthAnotherTry } from '../records/submission.ts'
import type { Target } from './removal.ts'

/** A record that stays, and why. */
export interface Refused<Row extends Target> {
  readonly record: Row
  readonly failure: Failure
}

interface Surroundings<Row extends Target> {
  /** Deletes one record. The key is the same whenever the same record is tried again. */
  readonly remove: (record: Row, key: string) => Promise<void>
  readonly pause: (milliseconds: number, signal: AbortSignal) => Promise<void>
  readonly signal: AbortSignal
  /** Told with the failure that it waits after, and with undefined when it goes on. */
  readonly onWaiting: (failure: Failure | undefined) => void
  readonly onDeleted: (record: Row) => void
  readonly onRefused: (refused: Refused<Row>) => void
}

const usualPause = 1_000
const endsAll: ReadonlySet<string> = new Set(['fresh_sign_in_required', 'not_signed_in'])

/**
 * Deletes records one after the other. One that is refused stays, and does not hold the others; one that is not there any more counts as
 * deleted. What the server cannot answer now is asked again. Ends when `signal` says so. A sign-in that is not fresh or over ends
 * it too: that failure is thrown, and the rest can be deleted after another one.
 */
export async function deleteAll<Row extends Target>(
  records: readonly Row[],
  { remove, pause, signal, onWaiting, onDeleted, onRefused }: Surroundings<Row>,
): Promise<void> {
  for (const record of records) {
    const key = crypto.randomUUID()
    for (let isOpen = true; isOpen && !signal.aborted; ) {
      const failure = await failureOf(() => remove(record, key))
      isOpen = failure !== null && isWorthAnotherTry(failure.status, failure.code)
      if (!isOpen) onWaiting(undefined)
      if (failure === null || failure.status === 404 || failure.status === 410) onDeleted(record)
      else if (isOpen) {
        onWaiting(failure)
        await pause(pauseAfter(failure), signal)
      } else if (endsAll.has(failure.code)) throw failure
      else onRefused({ record, failure })
    }
    if (signal.aborted) return
  }
}

async function failureOf(work: () => Promise<void>): Promise<Failure | null> {
  try {
    await work()
    return null
  } catch (error) {
    if (error instanceof Failure) return error
    throw error
  }
}

function pauseAfter({ retryAt }: Failure): number {
  return retryAt === null ? usualPause : Math.max(usualPause, retryAt.getTime() - Date.now())
}
