import { type Refusal, refuse } from '../errors/index.ts'
import type { Caller } from './caller.ts'

/** 403 that names all required scopes and the missing ones; null when the token has them all. */
export function refuseMissingScopes(required: readonly string[], { scopes }: Pick<Caller, 'scopes'>): Refusal | null {
  const missing = required.filter(scope => !scopes.has(scope))
  return missing.length === 0
    ? null
    : refuse('insufficient_scope', { requiredScopes: required, missingScopes: missing })
}
