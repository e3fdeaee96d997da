/**
 * Returns a single-flight version of `read`: callers that arrive while a read is in flight share its result. One scrape reads the database
 * once.
 */
export function sharedRead<Result>(read: () => Promise<Result>): () => Promise<Result> {
  let underWay: Promise<Result> | null = null
  return () => {
    underWay ??= read().finally(() => {
      underWay = null
    })
    return underWay
  }
}
