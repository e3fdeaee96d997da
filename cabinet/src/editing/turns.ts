/** Runs what is done to a record one after another, in the order in which it was asked for. */
export class Turns {
  readonly #last = new Map<string, Promise<unknown>>()

  /** Does the work when all that was asked for under this name before is done, whatever came of it. */
  run<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
    const before = this.#last.get(name) ?? Promise.resolve()
    const done = before.then(work, work)
    this.#last.set(name, done)
    const leave = () => {
      if (this.#last.get(name) === done) this.#last.delete(name)
    }
    done.then(leave, leave)
    return done
  }

  /** Waits until all that was asked for by now is done. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#last.values())
  }
}

/** The most records whose own saves are remembered. */
const mostRecords = 500

/**
 * The versions that saves of this tab have made. Who begins to edit before such a save is answered sees the version before it; nobody else
 * has written in between, so that no conflict is shown.
 */
export class OwnVersions {
  readonly #steps = new Map<string, { readonly from: number; readonly to: number }>()

  /** Notes that a save on top of one version has made another. */
  note(name: string, from: number, to: number): void {
    const before = this.#steps.get(name)
    this.#steps.delete(name)
    this.#steps.set(name, { from: before?.to === from ? before.from : from, to })
    const [oldest] = this.#steps.keys()
    if (this.#steps.size > mostRecords && oldest !== undefined) this.#steps.delete(oldest)
  }

  /** The version that a save of somebody who saw this version begins with. */
  after(name: string, version: number): number {
    const step = this.#steps.get(name)
    return step !== undefined && version >= step.from && version < step.to ? step.to : version
  }
}

/** The turns of everything that this tab writes, and the versions that it has made. */
export const turnsOfTab = new Turns()
export const versionsOfTab = new OwnVersions()
