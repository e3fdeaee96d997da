/** What the API says beside the data, where no operation is known. */
export interface Meta {
  readonly [member: string]: unknown
}

/** An answer with all that came with it. The body of `response` has been read. */
export interface WithResponse<T, M = Meta> {
  readonly data: T
  readonly meta: M
  readonly response: Response
  readonly requestId: string
}

/** The answer to a call that has begun: `await` gives its data. */
export interface Answer<T, M = Meta> extends Promise<T> {
  /** The data with `meta`, headers and request id. Sends nothing anew. */
  withResponse(): Promise<WithResponse<T, M>>
}

/** Both forms of an answer. A failure that is handled in one of them is not reported as unhandled in the other. */
export function answerOf<T>(whole: Promise<WithResponse<T>>): Answer<T> {
  const data = whole.then(answer => answer.data)
  const withResponse = () => {
    data.catch(() => {})
    return whole.then(answer => answer)
  }
  return Object.assign(data, { withResponse })
}
