/** The source of the bytes failed, not the store. */
class SourceFailure extends Error {}

/** The same bytes. `sourceError` distinguishes their error from one of the store. */
export async function* fromSource(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* chunks
  } catch (error) {
    throw new SourceFailure('the bytes of a file did not come to their end', { cause: error })
  }
}

/** The error of the source, in a box; null for an error of the store. */
export function sourceError(error: unknown): { readonly error: unknown } | null {
  return error instanceof SourceFailure ? { error: error.cause } : null
}
