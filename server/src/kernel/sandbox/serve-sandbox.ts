import { UnreadableFile } from '../documents/unreadable-file.ts'

/** The message from the server to a sandbox: a file to read, where it may write the result, and the task. */
export interface SandboxRequest<Task> {
  readonly source: string
  /** A path in the folder of the sandbox; nothing exists there yet. */
  readonly result: string
  readonly task: Task
}

/** The answer of a sandbox. `isLarge`: the process has grown, and the next file gets a new one. */
export type SandboxAnswer = { readonly isLarge: boolean } & (
  | { readonly answer: unknown }
  | { readonly unreadable: { readonly code: string; readonly message: string } }
  | { readonly fault: string }
)

/** A process with more memory than this after a file is not reused. */
const reusableBytes = 160 * 1024 * 1024

/**
 * Makes this process a sandbox. It reads one file after another, of one organization, and any harm that a hostile file does to memory or
 * event loop stays in this process. `read` returns the answer, or throws `UnreadableFile`.
 */
export function serveSandbox<Task>(read: (request: SandboxRequest<Task>) => Promise<unknown>): void {
  process.on('message', async (request: SandboxRequest<Task>) => {
    const outcome = await read(request).then(answer => ({ answer }), failureOf)
    process.send?.({ ...outcome, isLarge: process.memoryUsage.rss() > reusableBytes } satisfies SandboxAnswer)
  })
  process.once('disconnect', () => process.exit(0))
}

function failureOf(error: unknown) {
  if (error instanceof UnreadableFile) return { unreadable: { code: error.reason, message: error.message } }
  if (error instanceof Error && 'syscall' in error) return { fault: error.message }
  // A library failed on the file, so the file is damaged.
  const message = 'The file is damaged: open it in the program that made it, save it anew and upload it again'
  return { unreadable: { code: 'damaged', message } }
}
