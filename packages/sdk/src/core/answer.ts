/** What the API says beside the data. */
export interface Meta {
  readonly [member: string]: unknown
}

/** An answer with all that came with it. The body of `response` has been read. */
export interface WithResponse<T> {
  readonly data: T
  readonly meta: Meta
  readonly response: Response
  readonly requestId: string
}

/** The answer to a call that has begun: `await` gives its data. */
export interface Answer<T> extends Promise<T> {
  /** The data with `meta`, headers and request id. Sends nothing anew. */
  withResponse(): Promise<WithResponse<T>>
}

/** One promise behind both forms, so that a failure that was handled in one of them is not reported as unhandled in the other. */
export class PromisedAnswer<T> implements Answer<T> {
  readonly [Symbol.toStringTag] = 'Promise'
  readonly #whole: Promise<WithResponse<T>>

  constructor(whole: Promise<WithResponse<T>>) {
    this.#whole = whole
  }

  withResponse(): Promise<WithResponse<T>> {
    return this.#whole
  }

  // oxlint-disable-next-line unicorn/no-thenable -- it is a promise
  then<A = T, B = never>(
    fulfilled?: ((data: T) => A | PromiseLike<A>) | null,
    rejected?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return this.#whole.then(({ data }) => data).then(fulfilled, rejected)
  }

  catch<B = never>(rejected?: ((reason: unknown) => B | PromiseLike<B>) | null): Promise<T | B> {
    return this.then(undefined, rejected)
  }

  finally(settled?: (() => void) | null): Promise<T> {
    return this.#whole.then(({ data }) => data).finally(settled)
  }
}
