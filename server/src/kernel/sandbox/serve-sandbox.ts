import { UnreadableFile } from '../documents/unreadable-file.ts'

/** What the server sends to a sandbox: a file to read, where the result may be written, and what is to be done. */
export interface SandboxRequest<Task> {
  readonly source: string
  /** A path in the folder of the sandbox, where nothing is yet. */
  readonly result: string
  readonly task: Task
}

/** What a sandbox answers. `isLarge`: the process has grown, and the next file gets a new one. */
export type SandboxAnswer = { readonly isLarge: boolean } & (
  | { readonly answer: unknown }
  | { readonly unreadable: { readonly code: string; readonly message: string } }
  | { readonly fault: string }
)

/** A process that has more memory than this after a file is not used again. */
const reusableBytes = 160 * 1024 * 1024

/**
 * Makes this process a sandbox: it reads one file after another, of one organization, and whatever a hostile file does to memory or
 * event loop happens here and not in the server. `read` gives the answer, or throws `UnreadableFile`.
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
  // A library has stumbled over the file, so the file is not as it should be.
  const message = 'The file is damaged: open it in the program that made it, save it anew and upload it again'
  return { unreadable: { code: 'damaged', message } }
}
