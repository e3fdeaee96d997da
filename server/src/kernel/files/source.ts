/** Bytes that were to be stored ended with an error: the fault is not that of the store. */
class SourceFailure extends Error {}

/** The same bytes. Their error can be told from one of the store by `sourceError`. */
export async function* fromSource(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* chunks
  } catch (error) {
    throw new SourceFailure('the bytes of a file did not come to their end', { cause: error })
  }
}

/** The error with which the bytes ended, in a box; null for an error of the store. */
export function sourceError(error: unknown): { readonly error: unknown } | null {
  return error instanceof SourceFailure ? { error: error.cause } : null
}
