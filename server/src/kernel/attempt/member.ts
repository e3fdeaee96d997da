import { type Configuration } from '../schema/index.ts'
import { Needs, Round } from '../write/needs.ts'
import { WorkingSet } from '../write/working-set.ts'
import type { Writer } from '../writer.ts'
import type { Mutation } from './decision.ts'

/** What a mutation needs, as far as it can tell before anything is loaded. */
export interface Asked {
  readonly configuration: Configuration
  readonly needs: Needs
  readonly round: Round
}

/** A mutation on its way through the write path, and for whom it is. */
export class Member {
  readonly mutation: Mutation
  readonly writer: Writer
  #asked: Asked | null = null

  constructor(mutation: Mutation, writer: Writer) {
    this.mutation = mutation
    this.writer = writer
  }

  /** What it needs by this configuration. */
  ask(configuration: Configuration): Asked {
    if (this.#asked?.configuration === configuration) return this.#asked
    const needs = new Needs()
    this.mutation.needs(needs, new WorkingSet(), configuration)
    this.#asked = { configuration, needs, round: needs.take() ?? new Round() }
    return this.#asked
  }

  /** The same for an attempt, which asks further by these needs. The next attempt begins anew. */
  begin(configuration: Configuration): Asked {
    const asked = this.ask(configuration)
    this.#asked = null
    return asked
  }
}
