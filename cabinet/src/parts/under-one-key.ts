import { Failure } from '../api/index.ts'
import { isWorthAnotherTry } from '../records/submission.ts'

/**
 * Makes a request that can be tried again: while nobody knows what became of it, it is sent under the same key, so that it is done once.
 * After a refusal the next try has a key of its own.
 */
export function underOneKey<Answer>(send: (key: string) => Promise<Answer>): () => Promise<Answer> {
  let key = crypto.randomUUID()
  return async () => {
    try {
      return await send(key)
    } catch (error) {
      const isOpen = error instanceof Failure && isWorthAnotherTry(error.status, error.code)
      if (!isOpen) key = crypto.randomUUID()
      throw error
    }
  }
}
