import { setTimeout as sleep } from 'node:timers/promises'
import { aContact } from '../../support/builders.ts'
import type { Client } from '../../support/client.ts'
import type { Random } from '../../support/random.ts'

const writers = 16

/** Creates, changes and removes contacts, between 50 and 130 times a second, until it is ended. */
export class WebhookLoad {
  readonly #client: Client
  readonly #begun = performance.now()
  readonly #writing: Promise<unknown>
  #isOver = false
  writes = 0

  constructor(client: Client, random: Random) {
    this.#client = client
    this.#writing = Promise.all(Array.from({ length: writers }, () => this.#write(random.fork())))
  }

  /** How many writes there were in a second. */
  get rate(): number {
    return this.writes / ((performance.now() - this.#begun) / 1000)
  }

  async end(): Promise<void> {
    this.#isOver = true
    await this.#writing
  }

  async #write(random: Random): Promise<void> {
    let due = performance.now()
    const paced = async <Answer extends { readonly status: number }>(write: () => Promise<Answer>) => {
      // Each writer takes its share of a rate that is chosen anew each time, however long the write before has taken.
      due += (writers * 1000) / random.between(60, 150)
      await sleep(Math.max(0, due - performance.now()))
      let answer = await write()
      // On a busy machine a server may have no place for a while. Then it has executed nothing.
      for (; answer.status === 503; answer = await write()) await sleep(1000)
      if (answer.status >= 300) throw new Error(`a write was answered with ${answer.status}`)
      this.writes += 1
      return answer
    }
    while (!this.#isOver) {
      const { data } = await paced(() => this.#client.post('/contacts', aContact()))
      const changes = random.between(1, 12)
      for (let version = 1; version <= changes; version += 1)
        await paced(() =>
          this.#client.patch(`/contacts/${data.id}`, { expectedVersion: version, jobTitle: `Buyer ${version}` }),
        )
      if (random.between(0, 1) === 0) continue
      await paced(() => this.#client.delete(`/contacts/${data.id}?expectedVersion=${changes + 1}&mode=full`))
    }
  }
}
