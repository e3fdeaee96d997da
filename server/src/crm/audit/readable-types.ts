import { type Caller, type Declared, isScope, type Kinds } from '../../kernel/index.ts'

const scopeOfKind = ({ kind, scopes }: Kinds['resources'][number]): [string, string] => [kind, scopes.read]

/**
 * Makes the function that names the types whose entries a caller may read; null for all. Settings have no scope of their own: their entries
 * are for the owners of the organization.
 */
export function readableTypesOf(kinds: Declared): (caller: Caller) => string[] | null {
  const named = kinds.nestedResources.filter(({ conventions }) => !conventions.synchronizes)
  const ofJobs = kinds.jobTypes.map(({ type, scope }): [string, string] => [type, scope])
  const scopeOf = new Map<string, string>([...[...kinds.resources, ...named].map(scopeOfKind), ...ofJobs])
  return ({ scopes }) =>
    scopes.has('audit_all')
      ? null
      : [...scopeOf].filter(([, scope]) => isScope(scope) && scopes.has(scope)).map(([type]) => type)
}
