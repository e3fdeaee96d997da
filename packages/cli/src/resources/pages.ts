import { CrmError, type WithResponse } from 'crm-sdk'

/** A page of a list. */
interface ListPage {
  readonly data: readonly unknown[]
  readonly nextCursor: string | null
}

/**
 * The pages of a list, read one after another as they are needed: `read` gets the cursor of each, or undefined for the first. Throws
 * CrmError if the answer is no page, or its cursor leads to itself.
 */
export async function* pagesOf(
  read: (cursor: string | undefined) => Promise<WithResponse<unknown>>,
): AsyncGenerator<ListPage, void, undefined> {
  for (let cursor: string | undefined; ; ) {
    const { data, meta, requestId, response } = await read(cursor)
    const { nextCursor } = meta
    const isPage = Array.isArray(data) && (nextCursor === null || typeof nextCursor === 'string')
    if (!isPage || nextCursor === cursor) {
      const message = 'the answer is no page of a list'
      throw new CrmError({ code: 'unexpected_answer', message, status: response.status, requestId })
    }
    yield { data, nextCursor }
    if (nextCursor === null) return
    cursor = nextCursor
  }
}
