import { createHash } from 'node:crypto'
import { bounds } from '../limits/index.ts'
import { type Statement, statement } from '../sql/index.ts'

/**
 * The statements of saves made so far. Groups save what their members need, in any combination; beyond the bound, a new statement gets no
 * name and so is not prepared.
 */
export class SaveStatements {
  readonly #most: number
  readonly #made = new Map<string, Statement>()

  constructor(most: number) {
    this.#most = most
  }

  /** The statement with this signature, which identifies its text. */
  of(signature: string, textOf: () => string): Statement {
    const known = this.#made.get(signature)
    if (known !== undefined) return known
    if (this.#made.size >= this.#most) return { name: '', text: textOf() }
    const made = statement(`save_${createHash('sha256').update(signature).digest('hex').slice(0, 16)}`, textOf())
    this.#made.set(signature, made)
    return made
  }
}

/** The statements of this process. */
export const saveStatements = new SaveStatements(bounds.saveStatements.most)
