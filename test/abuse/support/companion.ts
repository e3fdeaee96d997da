import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

/**
 * A program of this folder in a process of its own: what the clients of an attack do must not disturb those who watch,
 * nor the tests. It ends with the test, however that ends.
 */
export class Companion<Told extends string | object, Answer> {
  readonly #child: ChildProcess
  readonly #ended: Promise<never>

  constructor(program: 'attacker' | 'observer') {
    const file = fileURLToPath(new URL(`./${program}.ts`, import.meta.url))
    this.#child = fork(file, { execArgv: ['--import', 'tsx'], serialization: 'advanced' })
    this.#ended = once(this.#child, 'exit').then(([status]) => {
      throw new Error(`the ${program} ended with status ${status}`)
    })
    this.#ended.catch(() => {})
  }

  /** Tells it something and waits for its answer. */
  async ask(told: Told): Promise<Answer> {
    const answer = once(this.#child, 'message')
    this.#child.send(told)
    const [given]: Answer[] = await Promise.race([answer, this.#ended])
    if (given === undefined) throw new Error('an answer without content')
    return given
  }

  async end(): Promise<void> {
    if (this.#child.connected) this.#child.disconnect()
    await this.#ended.catch(() => {})
  }
}
