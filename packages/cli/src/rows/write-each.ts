import { createHash } from 'node:crypto'
import { type Answer, CrmError, RateLimited } from 'crm-sdk'
import type { RecordToSend } from './record-of-row.rules.ts'

/** What became of a row. */
export interface RowResult {
  readonly status: number
  readonly isReplay: boolean
  /** Why it was refused. */
  readonly error?: { readonly code: string; readonly message: string; readonly details: object } | undefined
}

type Write = (row: RecordToSend, idempotencyKey: string) => Answer<unknown>

/** How many rows are under way at once, as with batches. */
const concurrency = 4

/** A server that asks for more seconds ends the run, as with batches. */
const longestRest = 120

/**
 * Writes rows one by one, for a kind of records that has no batches: several at a time, those with one key one after another. The key of a
 * call is run, place and content of its row, so the same run with the same rows applies none of them twice. Yields the results in order.
 * Throws what refuses any row, such as a lost connection or a missing scope.
 */
export async function* writeEach(
  write: Write,
  rows: AsyncIterable<RecordToSend>,
  { run, overwrite, kind }: { readonly run: string; readonly overwrite: boolean; readonly kind: string },
): AsyncGenerator<RowResult, void, undefined> {
  const underWay: { readonly externalId: string; readonly result: Promise<RowResult> }[] = []
  let place = 0
  for await (const row of rows) {
    while (underWay.length >= concurrency || underWay.some(({ externalId }) => externalId === row.externalId)) {
      const first = underWay.shift()
      if (first !== undefined) yield await first.result
    }
    const digest = createHash('sha256').update(JSON.stringify({ overwrite, row })).digest('hex')
    const result = resultOf(() => write(row, `${run}/${kind}/${place}/${digest}`))
    // It is awaited in its turn, when an earlier one may have ended the run already.
    result.catch(() => {})
    underWay.push({ externalId: row.externalId, result })
    place += 1
  }
  for (const { result } of underWay) yield await result
}

async function resultOf(call: () => Answer<unknown>): Promise<RowResult> {
  for (;;) {
    try {
      const { response } = await call().withResponse()
      return { status: response.status, isReplay: response.headers.get('idempotent-replayed') === 'true' }
    } catch (error) {
      if (!CrmError.is(error)) throw error
      if (RateLimited.is(error) && (error.retryAfter ?? 1) <= longestRest) {
        await new Promise(resolve => setTimeout(resolve, 1000 * (error.retryAfter ?? 1)))
        continue
      }
      if (!isOfTheRow(error)) throw error
      const { status, code, message, details } = error
      return { status, isReplay: false, error: { code, message, details } }
    }
  }
}

/** Whether another row may succeed. What is not the API says nothing of rows. */
function isOfTheRow({ code, status }: CrmError): boolean {
  return code !== 'unexpected_answer' && [400, 404, 409, 410, 413, 422, 428].includes(status)
}
