import type { Resource } from '../record/resource.ts'
import type { Row } from '../sql/index.ts'
import type { NeededKey, References, Round } from './needs.ts'
import type { WorkingSet } from './working-set.ts'

/** What a record is locked for. */
export type Use = 'change' | 'refer'

/** The locks that a transaction holds on the rows and keys that it needs. */
export class AcquiredLocks {
  /** Rows that were loaded without their lock. */
  readonly #rows = new Set<string>()
  /** Keys that may be created and that another transaction has locked. */
  readonly #keys = new Set<string>()

  /** Notes the rows of a kind: another transaction holds the lock of a loaded row that is not among the locked ones. */
  noteRows(use: Use, kind: string, locked: readonly Row[], loaded: readonly Row[]): void {
    const ids = new Set(locked.map(({ id }) => id))
    for (const { id } of loaded) if (!ids.has(id)) this.#rows.add(nameOf(use, kind, String(id)))
  }

  /** Notes the keys whose locks were requested. */
  noteKeys(keys: readonly NeededKey[], numberOf: (key: NeededKey) => string, tried: readonly Row[]): void {
    const missed = new Set(tried.filter(({ held }) => held !== true).map(({ number }) => String(number)))
    for (const key of keys) if (missed.has(numberOf(key))) this.#keys.add(nameOf(key.kind, key.key))
  }

  /** Whether all locks are held. */
  isAll(): boolean {
    return this.#rows.size + this.#keys.size === 0
  }

  /** Whether all locks that this round needs are held; the round may need only a part of what was locked. */
  covers(round: Round, work: WorkingSet): boolean {
    if (this.isAll()) return true
    for (const { kind, key, mayCreate } of round.keys.values()) {
      if (mayCreate && this.#keys.has(nameOf(kind, key))) return false
    }
    return this.#coversRows('change', round.change, work) && this.#coversRows('refer', round.refer, work)
  }

  #coversRows(use: Use, targets: ReadonlyMap<Resource, References>, work: WorkingSet): boolean {
    for (const [{ kind }, { ids, keys }] of targets) {
      const named = [...keys].flatMap(key => work.key(kind, key)?.resourceId ?? [])
      if ([...ids, ...named].some(id => this.#rows.has(nameOf(use, kind, id)))) return false
    }
    return true
  }
}

function nameOf(...words: readonly string[]): string {
  return words.join('\0')
}
