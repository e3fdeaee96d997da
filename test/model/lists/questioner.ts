import type { Client } from '../../support/client.ts'
import type { Random } from '../../support/random.ts'
import type { History } from './history.ts'
import { judge } from './judge.ts'
import { aQuestion, turns } from './questions.ts'
import { type Walk, walk } from './walk.ts'
import type { Writers } from './writers.ts'

/** Asks random questions, several at a time, and judges their answers. */
export class Questioner {
  readonly findings: string[] = []
  /** The turns of filters and orders of which a question was answered with records. */
  readonly found = new Set<number>()
  readonly #client: Client
  readonly #history: History
  readonly #writers: Writers
  /** When the walks began that are under way. */
  readonly #begun = new Set<number>()
  #asked = 0
  #pages = 0
  #truncated = 0
  #shown = 0

  constructor(client: Client, history: History, writers: Writers) {
    this.#client = client
    this.#history = history
    this.#writers = writers
  }

  /** Asks one question after the other until so many have been asked by all readers. */
  async ask(most: number, random: Random): Promise<void> {
    while (this.#asked < most) await this.askOne(random)
  }

  async askOne(random: Random, turn = this.#asked): Promise<Walk> {
    const begin = this.#history.now()
    const number = this.#asked
    this.#asked += 1
    this.#begun.add(begin)
    const walked = await walk(this.#client, aQuestion(turn, random, this.#history), this.#history)
    await this.#writers.settle()
    this.findings.push(...judge(walked, this.#history).map(finding => `question ${number}: ${finding}`))
    this.#begun.delete(begin)
    this.#history.forget(Math.min(this.#history.now(), ...this.#begun))
    this.#count(turn % turns, walked)
    return walked
  }

  #count(turn: number, { pages }: Walk): void {
    const shown = pages.reduce((sum, { items }) => sum + items.length, 0)
    if (shown > 0) this.found.add(turn)
    this.#shown += shown
    this.#pages += pages.length
    this.#truncated += pages.filter(({ meta }) => meta.truncated === true).length
  }

  toString(): string {
    return `${this.#asked} questions, ${this.#pages} pages, ${this.#truncated} of them truncated, ${this.#shown} records`
  }
}
