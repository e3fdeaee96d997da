import { Failure } from '../api/index.ts'
import { bodyOf, type Values } from '../records/changes.rules.ts'
import type { FieldDefinition } from '../records/field.ts'
import type { Kind } from '../records/kinds.ts'
import type { RecordState } from '../records/record.ts'
import { write } from '../records/record-requests.ts'
import { isWorthAnotherTry, pauseFor, type Sent, submit } from '../records/submission.ts'

/** One submission of a form: a new record, or new values of a version. */
export interface Submission {
  readonly organization: string
  readonly kind: Kind
  readonly id: string | null
  readonly version: number | null
  readonly values: Values
  readonly fields: readonly FieldDefinition[]
}

/** What is sent, as text: the same text under the same key is the same submission. */
export function textOfSubmission({ version, values, fields }: Submission): string {
  return JSON.stringify({ ...bodyOf(values, fields), ...(version !== null && { expectedVersion: version }) })
}

/**
 * Sends a submission until the server has answered. Throws the `Failure` with which it was refused; answers undefined when `signal` gave
 * it up.
 */
export async function send(
  { organization, kind, id }: Submission,
  { key, body }: { readonly key: string; readonly body: string },
  { signal, onWaiting }: { readonly signal: AbortSignal; readonly onWaiting: (isWaiting: boolean) => void },
): Promise<RecordState | undefined> {
  const path = id === null ? kind : `${kind}/${id}`
  const attempt = async (): Promise<Sent<RecordState, Failure>> => {
    try {
      const method = id === null ? 'POST' : 'PATCH'
      const answer = await write<RecordState>(organization, { method, path, body: JSON.parse(body), key }, signal)
      return { outcome: 'saved', answer }
    } catch (error) {
      if (signal.aborted) return { outcome: 'again' }
      if (!(error instanceof Failure)) throw error
      const { status, code, retryAt } = error
      if (!isWorthAnotherTry(status, code)) return { outcome: 'refused', failure: error }
      const wait = retryAt === null ? {} : { afterMilliseconds: Math.max(0, retryAt.getTime() - Date.now()) }
      return { outcome: 'again', ...wait }
    }
  }
  const result = await submit(attempt, { signal, onWaiting, pause: pauseFor })
  if (result?.outcome === 'refused') throw result.failure
  return result?.answer
}
