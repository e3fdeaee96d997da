/** Cleanup steps that run at the end, also after an error or Ctrl-C, in reverse order. */
export class Cleanup {
  readonly #steps: (() => Promise<unknown>)[] = []
  #over = false

  /** A step that is added during or after the cleanup runs at once. */
  add(step: () => Promise<unknown>): void {
    if (this.#over) step().catch(() => {})
    else this.#steps.push(step)
  }

  /** Runs every step, even if others fail, and reports the first failure. */
  async run(): Promise<void> {
    this.#over = true
    const failures: unknown[] = []
    for (let step = this.#steps.pop(); step !== undefined; step = this.#steps.pop()) {
      await step().catch((error: unknown) => failures.push(error))
    }
    if (failures.length > 0) throw failures[0]
  }
}

/** Runs `work` until it ends or a signal comes; cleans up either way. A second signal ends the process at once. */
export async function withCleanup(work: (cleanup: Cleanup) => Promise<void>): Promise<void> {
  const cleanup = new Cleanup()
  const interrupted = new Promise<never>((_, reject) => {
    for (const name of ['SIGINT', 'SIGTERM'] as const) {
      process.once(name, () => {
        process.once(name, () => process.exit(130))
        reject(new Error(`interrupted by ${name}`))
      })
    }
  })
  try {
    await Promise.race([work(cleanup), interrupted])
  } finally {
    await cleanup.run()
  }
}
