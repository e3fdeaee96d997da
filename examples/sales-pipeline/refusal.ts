import { isRecord, memberOf, textOrBlank } from './json.ts'

/** An answer of the CRM that is not a success. */
export class Refusal extends Error {
  readonly status: number
  readonly code: unknown
  readonly retryAfterMilliseconds: number | null

  constructor(request: string, response: Response, body: unknown) {
    const error = memberOf(body, 'error')
    super(`${request} was refused: ${response.status} ${explain(error)}`)
    this.status = response.status
    this.code = memberOf(error, 'code')
    this.retryAfterMilliseconds = readRetryAfter(response.headers.get('retry-after'))
  }
}

/** Another client has changed the record since it was read: read it again and continue. */
export function isStale(error: unknown): boolean {
  const code = memberOf(error, 'code')
  return code === 'version_conflict' || code === 'precondition_required'
}

/** Repeats the read and the write while other clients change the record in between. */
export async function untilNotStale<Result>(readAndWrite: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await readAndWrite()
    } catch (error) {
      const isWorthAnother = error instanceof Refusal && isStale(error) && attempt < 5
      if (!isWorthAnother) throw error
    }
  }
}

/** The `error` object of an answer or of a batch element, as readable text. */
export function explain(error: unknown): string {
  const details = memberOf(error, 'details')
  const hasDetails = isRecord(details) && Object.keys(details).length > 0
  const sentence = `${textOrBlank(error, 'code')} ${textOrBlank(error, 'message')}`.trim() || 'no reason given'
  return hasDetails ? `${sentence} ${JSON.stringify(details)}` : sentence
}

/** The header contains seconds or an HTTP date. */
function readRetryAfter(header: string | null): number | null {
  if (header === null) return null
  const milliseconds = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - Date.now()
  return Number.isNaN(milliseconds) ? null : Math.max(0, milliseconds)
}
