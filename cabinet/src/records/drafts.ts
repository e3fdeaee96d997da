import type { Values } from './changes.rules.ts'
import { isKind, type Kind } from './kinds.ts'
import { isObject, type Json } from './record.ts'

/** Whose drafts they are, and of which organization. */
export interface DraftOwner {
  readonly user: string
  readonly organization: string
}

/** What a draft is of. */
export interface DraftKey {
  readonly kind: Kind
  /** Null for a new record. */
  readonly id: string | null
  /** What tells drafts of one record apart: the cell of a list, or what a new record began with. Empty for a form. */
  readonly part: string
}

/** A submission that the server has not answered: it may have been done. */
export interface Unanswered {
  /** The key under which it is sent again; the body under it must not change. */
  readonly key: string
  readonly body: string
  /** The values of the form that it was made of. */
  readonly mine: Values
}

/** What was typed and not saved yet. It stays in the tab until it is saved or given up, so that a reload loses nothing. */
export interface RecordDraft extends DraftKey {
  /** What the record is called; null for a new one. */
  readonly name: string | null
  /** The version that the form began with; null for a new record. */
  readonly version: number | null
  /** The values that it began with. */
  readonly saw: Values
  /** The values that were typed. */
  readonly mine: Values
  /** The path of the page on which it is open; null when it was left. */
  readonly page: string | null
  readonly submission?: Unanswered | undefined
}

type Store = Pick<Storage, 'getItem' | 'setItem' | 'removeItem' | 'key' | 'length'>

/** The drafts of a tab. A store that is full or forbidden keeps none, and the form goes on without. */
export class Drafts {
  readonly #store: Store

  constructor(store: Store) {
    this.#store = store
  }

  /** The draft of a record; undefined where there is none, or it cannot be read. */
  find(owner: DraftOwner, key: DraftKey): RecordDraft | undefined {
    return this.#read(nameOf(owner, key))
  }

  /** The drafts that were open on a page when it went away. */
  openOn(owner: DraftOwner, page: string): readonly RecordDraft[] {
    return this.#names().flatMap(name => {
      const draft = name.startsWith(`${prefixOf(owner)}/`) ? this.#read(name) : undefined
      return draft?.page === page ? [draft] : []
    })
  }

  keep(owner: DraftOwner, { kind, id, part, name, version, saw, mine, page, submission }: RecordDraft): void {
    const sent = submission && { ...submission, mine: [...submission.mine] }
    const draft = { kind, id, part, name, version, saw: [...saw], mine: [...mine], page, submission: sent }
    try {
      this.#store.setItem(nameOf(owner, { kind, id, part }), JSON.stringify(draft))
    } catch {
      // The form still holds what was typed.
    }
  }

  forget(owner: DraftOwner, key: DraftKey): void {
    this.#store.removeItem(nameOf(owner, key))
  }

  /** Forgets what others than this user have typed in the tab. */
  forgetOthers(user: string): void {
    for (const name of this.#names()) {
      if (!name.startsWith(`${prefix}/${user}/`)) this.#store.removeItem(name)
    }
  }

  #names(): readonly string[] {
    const names = Array.from({ length: this.#store.length }, (_, index) => this.#store.key(index) ?? '')
    return names.filter(name => name.startsWith(`${prefix}/`))
  }

  #read(name: string): RecordDraft | undefined {
    try {
      return parse(JSON.parse(this.#store.getItem(name) ?? 'null'))
    } catch {
      return undefined
    }
  }
}

const prefix = 'crm-draft'

function prefixOf({ user, organization }: DraftOwner): string {
  return [prefix, user, organization].join('/')
}

function nameOf(owner: DraftOwner, { kind, id, part }: DraftKey): string {
  return [prefixOf(owner), kind, id ?? 'new', part].join('/')
}

function parse(stored: unknown): RecordDraft | undefined {
  if (!isObject(stored)) return undefined
  const { kind, id, part, name, version, saw, mine, page, submission } = stored
  const isKnown = typeof kind === 'string' && isKind(kind) && typeof part === 'string'
  const isVersion = version === null || typeof version === 'number'
  if (!isKnown || !isVersion || !Array.isArray(saw) || !Array.isArray(mine)) return undefined
  return {
    kind,
    id: textOrNull(id),
    part,
    name: textOrNull(name),
    version,
    saw: pairsOf(saw),
    mine: pairsOf(mine),
    page: textOrNull(page),
    ...unansweredOf(submission),
  }
}

function unansweredOf(stored: Json | undefined): { readonly submission?: Unanswered } {
  const { key, body, mine } = isObject(stored) ? stored : {}
  if (typeof key !== 'string' || typeof body !== 'string' || !Array.isArray(mine)) return {}
  return { submission: { key, body, mine: pairsOf(mine) } }
}

function textOrNull(value: Json | undefined): string | null {
  return typeof value === 'string' ? value : null
}

function pairsOf(list: readonly Json[]): Values {
  return new Map(
    list.flatMap((pair): [string, Json][] => {
      const [path, value = null]: readonly Json[] = Array.isArray(pair) ? pair : []
      return typeof path === 'string' ? [[path, value]] : []
    }),
  )
}
