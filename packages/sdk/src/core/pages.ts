import type { Meta } from './answer.ts'

/** One page of a list. */
export interface Page<T> {
  readonly data: readonly T[]
  readonly meta: Meta
  /** What `cursor` has to be for the next page. Null on the last page. */
  readonly nextCursor: string | null
  readonly requestId: string
}

/**
 * A list: `for await` gives its elements, from page to page, and `await` its first page alone. Nothing is sent before. Pages are read when
 * they are needed, one at a time.
 */
export interface List<T> extends AsyncIterable<T>, PromiseLike<Page<T>> {
  /** The pages themselves. */
  pages(): AsyncIterable<Page<T>>
}
