import { setTimeout as sleep } from 'node:timers/promises'
import type { hash, verify } from '@node-rs/argon2'
import { FairSemaphore } from '../kernel/admission/index.ts'
import { bounds } from '../kernel/index.ts'

/** Argon2id with 19 MiB, as OWASP recommends: a hash takes about 40 ms. */
const parameters = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }
const currentPrefix = `$argon2id$v=19$m=${parameters.memoryCost},t=${parameters.timeCost},p=${parameters.parallelism}$`

/** A hash that no password has. To compare a password with it takes as long as with any other. */
const noPassword = `${currentPrefix}${'A'.repeat(22)}$${'A'.repeat(43)}`

interface Argon2 {
  readonly hash: typeof hash
  readonly verify: typeof verify
}

/** Hashes passwords. A stranger can ask for as many hashes as he likes, so a process makes few at a time and few a second. */
export class Passwords {
  readonly #places = new FairSemaphore({
    name: 'hashPlace',
    places: bounds.processHashes.most,
    perKey: bounds.addressHashes.most,
    waiting: bounds.addressHashesWaiting.most,
    milliseconds: bounds.hashPlace.most,
  })
  /** When the next hash may begin, on the clock of `performance.now()`. */
  #next = 0
  #made = 0

  /** How many hashes were made. */
  get made(): number {
    return this.#made
  }

  /** The hash of a password, to be stored. Throws `Overloaded` if too many wait. `asker` is the address class or address that asks. */
  hash(password: string, asker: string): Promise<string> {
    return this.#inTurn(asker, async ({ hash }) => hash(password.normalize('NFKC'), parameters))
  }

  /** Whether a password has the stored hash. Without a hash, does the same work and returns false. Throws as `hash` does. */
  matches(stored: string | null, password: string, asker: string): Promise<boolean> {
    return this.#inTurn(asker, async ({ verify }) => {
      const isSame = await verify(stored ?? noPassword, password.normalize('NFKC'))
      return isSame && stored !== null
    })
  }

  /** The library is loaded for the first hash: on many servers nobody signs in. */
  #inTurn<Result>(asker: string, work: (library: Argon2) => Promise<Result>): Promise<Result> {
    return this.#places.pass(asker, async () => {
      const now = performance.now()
      const begin = Math.max(now, this.#next)
      this.#next = begin + bounds.hashInterval.most
      if (begin > now) await sleep(begin - now)
      this.#made += 1
      return work(await import('@node-rs/argon2'))
    })
  }
}

/** Whether a hash was made with other parameters than those of today, and has to be made anew. */
export function isOutdated(stored: string): boolean {
  return !stored.startsWith(currentPrefix)
}
