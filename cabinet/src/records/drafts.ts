import type { Values } from './changes.rules.ts'
import { isObject, type Json } from './record.ts'

/** What was typed and not saved yet. It stays in the tab until it is saved or given up, so that a reload loses nothing. */
export interface Draft {
  /** The version that the form began with; null for a new record. */
  readonly version: number | null
  /** The values that it began with. */
  readonly saw: Values
  /** The values that were typed. */
  readonly mine: Values
  /** The key of the submission under way; the body under it must not change. */
  readonly submission?: { readonly key: string; readonly body: string } | undefined
}

type Store = Pick<Storage, 'getItem' | 'setItem' | 'removeItem' | 'key' | 'length'>

/** The drafts of a tab, by user, organization, kind and id. A store that is full or forbidden keeps none, and the form goes on without. */
export class Drafts {
  readonly #store: Store

  constructor(store: Store) {
    this.#store = store
  }

  /** The draft under a name; undefined where there is none, or it cannot be read. */
  find(name: string): Draft | undefined {
    try {
      return parse(JSON.parse(this.#store.getItem(keyOf(name)) ?? 'null'))
    } catch {
      return undefined
    }
  }

  keep(name: string, { version, saw, mine, submission }: Draft): void {
    try {
      this.#store.setItem(keyOf(name), JSON.stringify({ version, saw: [...saw], mine: [...mine], submission }))
    } catch {
      // The form still holds what was typed.
    }
  }

  forget(name: string): void {
    this.#store.removeItem(keyOf(name))
  }

  /** Forgets what others than this user have typed in the tab. */
  forgetOthers(user: string): void {
    const keys = Array.from({ length: this.#store.length }, (_, index) => this.#store.key(index) ?? '')
    for (const key of keys) {
      if (key.startsWith(keyOf('')) && !key.startsWith(keyOf(`${user}/`))) this.#store.removeItem(key)
    }
  }
}

/** The name of a draft. */
export function draftName(user: string, organization: string, kind: string, id: string | null): string {
  return [user, organization, kind, id ?? 'new'].join('/')
}

function keyOf(name: string): string {
  return `crm-draft/${name}`
}

function parse(stored: unknown): Draft | undefined {
  if (!isObject(stored)) return undefined
  const { version = null, saw, mine, submission } = stored
  const isVersion = version === null || typeof version === 'number'
  if (!isVersion || !Array.isArray(saw) || !Array.isArray(mine)) return undefined
  const sent = isObject(submission) ? submission : {}
  return {
    version,
    saw: pairsOf(saw),
    mine: pairsOf(mine),
    ...(typeof sent.key === 'string' &&
      typeof sent.body === 'string' && { submission: { key: sent.key, body: sent.body } }),
  }
}

function pairsOf(list: readonly Json[]): Values {
  return new Map(
    list.flatMap((pair): [string, Json][] => {
      const [path, value = null]: readonly Json[] = Array.isArray(pair) ? pair : []
      return typeof path === 'string' ? [[path, value]] : []
    }),
  )
}
