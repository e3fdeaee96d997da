import { createHash } from 'node:crypto'
import { bounds } from '../limits/index.ts'
import { type Statement, statement } from '../sql/index.ts'

const compiled = new Map<string, Statement>()

/**
 * The statement of this form, which the signature tells from all others. Groups save what their members need, in any
 * combination: a form that is one too many is not prepared.
 */
export function saveStatement(signature: string, textOf: () => string): Statement {
  const known = compiled.get(signature)
  if (known !== undefined) return known
  if (compiled.size >= bounds.saveStatements.most) return { name: '', text: textOf() }
  const name = `save_${createHash('sha256').update(signature).digest('hex').slice(0, 16)}`
  const made = statement(name, textOf())
  compiled.set(signature, made)
  return made
}
