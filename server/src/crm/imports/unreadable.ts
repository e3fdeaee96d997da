import { UnreadableFile } from '../../../kernel/documents/index.ts'
import { type Refusal, violates } from '../../../kernel/schema/index.ts'

/** The result of reading a file, or the refusal (422) of a file that cannot be read, at this JSON pointer. */
export async function refusingUnreadable<Result>(path: string, read: () => Promise<Result>): Promise<Result | Refusal> {
  try {
    return await read()
  } catch (error) {
    if (!(error instanceof UnreadableFile)) throw error
    return violates(path, error.reason, error.message)
  }
}
