import type { Meta, WithResponse } from './answer.ts'
import { CrmError } from './errors.ts'

/** One page of a list. */
export interface Page<T, M = Meta> {
  readonly data: readonly T[]
  readonly meta: M
  /** What `cursor` has to be for the next page. Null on the last page. */
  readonly nextCursor: string | null
  readonly requestId: string
}

/**
 * A list: `for await` gives its elements, from page to page, and `await` its first page alone. Nothing is sent before. Pages are read when
 * they are needed, one at a time.
 */
export interface List<T, M = Meta> extends AsyncIterable<T>, PromiseLike<Page<T, M>> {
  /** The pages themselves. */
  pages(): AsyncIterable<Page<T, M>>
}

/** Reads the page at a cursor, or the first one. */
export type ReadPage = (cursor: string | undefined) => Promise<WithResponse<unknown>>

export class PagedList implements List<unknown> {
  readonly #read: ReadPage

  constructor(read: ReadPage) {
    this.#read = read
  }

  async *pages(): AsyncGenerator<Page<unknown>, void, undefined> {
    let page = await this.#page(undefined)
    yield page
    // Every circle passes the cursor that is remembered: it is replaced after 1, 2, 4, 8, … pages.
    let remembered: string | null = null
    let pages = 0
    let replaceAfter = 1
    while (page.nextCursor !== null) {
      if (page.nextCursor === remembered)
        throw unexpected('The pages of a list go round in a circle: a cursor has come a second time', page.requestId)
      if (++pages === replaceAfter) {
        remembered = page.nextCursor
        replaceAfter *= 2
        pages = 0
      }
      page = await this.#page(page.nextCursor)
      yield page
    }
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<unknown, void, undefined> {
    for await (const { data } of this.pages()) yield* data
  }

  // oxlint-disable-next-line unicorn/no-thenable -- to await a list is to read its first page
  then<A = Page<unknown>, B = never>(
    fulfilled?: ((page: Page<unknown>) => A | PromiseLike<A>) | null,
    rejected?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return this.#page(undefined).then(fulfilled, rejected)
  }

  async #page(cursor: string | undefined): Promise<Page<unknown>> {
    const { data, meta, requestId } = await this.#read(cursor)
    const { nextCursor } = meta
    if (!Array.isArray(data) || (nextCursor !== null && typeof nextCursor !== 'string'))
      throw unexpected('A page of a list has neither a list of data nor a cursor', requestId)
    return { data, meta, nextCursor, requestId }
  }
}

function unexpected(message: string, requestId: string): CrmError {
  return new CrmError({ code: 'unexpected_answer', message, status: 200, requestId })
}
