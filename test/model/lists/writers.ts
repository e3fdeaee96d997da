import { setTimeout as sleep } from 'node:timers/promises'
import type { JsonObject } from '../../../server/src/kernel/schema/index.ts'
import type { Answer } from '../../support/client.ts'
import type { Random } from '../../support/random.ts'
import { type Kind, plurals } from '../world.ts'
import type { History } from './history.ts'
import type { Surroundings } from './surroundings.ts'
import { chooseWrite, type Write, writeNames } from './writes.ts'

/**
 * Writers never write to the same record at the same time, so that the history of each record is one sequence, in whichever order the
 * server has carried out the writes.
 */
export class Writers {
  readonly surprises: string[] = []
  /** How often each write succeeded, by its name. */
  readonly #done = new Map<string, number>()
  readonly #claimed = new Set<string>()
  readonly #underWay = new Set<Promise<void>>()
  readonly #history: History
  readonly #surroundings: Surroundings

  constructor(history: History, surroundings: Surroundings) {
    this.#history = history
    this.#surroundings = surroundings
  }

  /** Writes until every kind of write has succeeded, and so every kind of record is there. */
  async fill(random: Random): Promise<void> {
    const isFull = () => writeNames.every(name => this.#done.has(name))
    await Promise.all([1, 2, 3, 4].map(() => this.work(random.fork(), isFull)))
  }

  /** Writes on until it is over, with pauses of at most so many milliseconds. */
  async work(random: Random, isOver: () => boolean, pause = 0): Promise<void> {
    while (!isOver()) {
      await this.#make(chooseWrite(random, this.#history, this.#surroundings), random)
      if (pause > 0) await sleep(random.between(0, pause))
    }
  }

  toString(): string {
    return `${[...this.#done.values()].reduce((sum, count) => sum + count, 0)} writes`
  }

  /** Waits for the writes that are under way. */
  async settle(): Promise<void> {
    await Promise.all(this.#underWay)
  }

  /** Makes a write, unless others have the records that it needs. */
  async #make(write: Write | null, random: Random): Promise<void> {
    if (write === null || write.claims.some(id => this.#claimed.has(id))) return
    for (const id of write.claims) this.#claimed.add(id)
    // Records that are written in the same millisecond are in the order of their ids.
    if (random.next() < 0.4) this.#surroundings.clock.advance(random.pick([1, 1, 1, 1000, 3_600_000]))
    const made = this.#carryOut(write)
    this.#underWay.add(made)
    await made.finally(() => this.#underWay.delete(made))
    for (const id of write.claims) this.#claimed.delete(id)
  }

  async #carryOut(write: Write): Promise<void> {
    const { client } = this.#surroundings.organization
    const sent = this.#history.now()
    const answer = await client.call(write.method, write.path, write.body)
    const { name, kind, changes } = write
    const isRefused = answer.status === 422 && write.mayBeRefused
    if (answer.status >= 300) {
      if (!isRefused) this.surprises.push(`${name} ${JSON.stringify(write)}: ${JSON.stringify(answer.body)}`)
      return
    }
    this.#done.set(name, (this.#done.get(name) ?? 0) + 1)
    for (const record of shownBy(answer)) this.#enter(kind, record, sent)
    if (changes.length > 1 || !('createdAt' in answer.data)) await this.#readAgain(changes, sent)
  }

  #enter(kind: Kind, data: JsonObject, sent: number, links?: readonly string[]): void {
    const id = String(data.id)
    this.#history.enter(kind, id, { id, data, links: links ?? this.#history.current(id)?.links ?? [] }, sent)
  }

  /** Companies first, because they have the links of contacts. */
  async #readAgain(ids: readonly string[], sent: number): Promise<void> {
    const { client } = this.#surroundings.organization
    for (const kind of ['company', 'contact', 'deal', 'task'] as const) {
      for (const id of ids.filter(each => this.#history.kindOf(each) === kind)) {
        const path = `/${plurals[kind]}/${id}`
        const { status, data } = await client.get(path)
        if (status !== 200) this.#history.enter(kind, id, null, sent)
        else if (kind === 'company') this.#enter(kind, data, sent, await this.#linkedWith(path))
        else if (kind === 'contact') this.#enter(kind, data, sent, this.#companiesOf(id))
        else this.#enter(kind, data, sent)
      }
    }
  }

  async #linkedWith(path: string): Promise<string[]> {
    const { items } = await this.#surroundings.organization.client.get(`${path}/contacts?limit=100`)
    return items.map(({ contactId }) => String(contactId))
  }

  #companiesOf(contact: string): string[] {
    return this.#history.all('company').flatMap(({ id, links }) => (links.includes(contact) ? [id] : []))
  }
}

/** The records that an answer shows. */
function shownBy({ data, items }: Answer): JsonObject[] {
  const elements = items.map(item => Object(item.data))
  return [data, ...elements].filter(record => 'createdAt' in record)
}
