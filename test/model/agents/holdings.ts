import type { Random } from '../../support/random.ts'

/** The kinds that can be had, by the word of the audit log. */
export type Kind = 'product_set' | 'product' | 'knowledge_base' | 'api_integration' | 'agent'

/** What all clients together know; they share it, so that they meet on the same records. */
export class Holdings {
  readonly ids: Record<Exclude<Kind, 'product'>, Set<string>> = {
    product_set: new Set(),
    knowledge_base: new Set(),
    api_integration: new Set(),
    agent: new Set(),
  }

  /** A known record, mostly one of a few; null if none is known. It may be gone. */
  one(kind: keyof Holdings['ids'], random: Random): string | null {
    const all = [...this.ids[kind]]
    return all.length === 0 ? null : random.pick(random.next() < 0.7 ? all.slice(0, 4) : all)
  }

  some(kind: keyof Holdings['ids'], random: Random): string[] {
    const all = [...this.ids[kind]]
    return all.length === 0 || random.next() < 0.2 ? [] : random.some(all, 4)
  }
}
