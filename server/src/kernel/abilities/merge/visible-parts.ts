import type { Resource } from '../../record/index.ts'
import { mayRead } from '../../redact/index.ts'
import type { Field, JsonObject, Projection } from '../../schema/index.ts'
import { type Blocker, hiddenListTooLong } from '../referrers/index.ts'
import { type MergedPart, mergedFields } from './merged-fields.ts'

/** The facts that decide how much of a part a token may see. They are stored with the answer of a preview. */
export type PartFacts = Pick<MergedPart, 'field' | 'isDeclared' | 'isList' | 'changes'> & { readonly outcome: string }

/** A part, and whether the token may not read its values. */
export interface ToldPart<Part extends PartFacts> {
  readonly part: Part
  readonly hidden: boolean
}

/**
 * Pure: what a token may see of the parts of a merge. For a field that the token may not read, the result is the same whatever the two
 * records hold. Otherwise an attacker could merge a record with guessed values into the record of a victim, and learn from the preview
 * whether a guess is right. So the parts of such a field are listed only if every record has them or the organization has configured them,
 * never because they happen to be filled (specification, "Protected values"; contract sections 5 and 8).
 */
export function toldParts<Part extends PartFacts>(
  resource: Resource,
  parts: readonly Part[],
  scopes: ReadonlySet<string>,
): ToldPart<Part>[] {
  const hides = hiding(resource, scopes)
  return parts
    .map(part => ({ part, hidden: hides(part.field) }))
    .filter(({ part, hidden }) => !hidden || part.isDeclared)
}

/**
 * Names of the fields that only the client can decide: readable fields that conflict, and every hidden field that could
 * conflict.
 */
export function requiredResolutions(told: readonly ToldPart<PartFacts>[]): string[] {
  return told
    .filter(({ part, hidden }) => (hidden ? !part.isList : part.outcome === 'conflict'))
    .map(({ part }) => part.field)
}

/** The parts for which a token can choose a side. For a hidden part it needs the write scope. */
export function choosable<Part extends PartFacts>(
  resource: Resource,
  told: readonly ToldPart<Part>[],
  scopes: ReadonlySet<string>,
): ToldPart<Part>[] {
  return told.filter(({ part, hidden }) => !hidden || writeScopesOf(resource, [part]).every(scope => scopes.has(scope)))
}

/**
 * Scopes that a preview names for the commit, in addition to those of its route: the write scopes of fields that the
 * merge changes in the primary or that the choice of a side can change, and of every hidden field (contract section 8).
 */
export function announcedScopes(resource: Resource, told: readonly ToldPart<PartFacts>[]): string[] {
  const announced = told.filter(({ part, hidden }) => hidden || part.changes)
  return writeScopesOf(
    resource,
    announced.map(({ part }) => part),
  )
}

/**
 * Scopes that the commit needs: the write scopes of the fields that it changes. A token without such a scope learns
 * from the refusal that the merge would change the field. It cannot use that to try guesses, because it cannot write a
 * guess to a record.
 */
export function neededScopes(resource: Resource, parts: readonly PartFacts[]): string[] {
  return writeScopesOf(
    resource,
    parts.filter(({ changes }) => changes),
  )
}

function writeScopesOf(resource: Resource, parts: readonly PartFacts[]): string[] {
  return [...new Set(parts.flatMap(({ field }) => declaredField(resource, field)?.writeScope ?? []))]
}

/** What forbids a merge, without the blockers that count values of hidden fields. */
export function toldBlockers<B extends JsonObject>(
  resource: Resource,
  blockers: readonly B[],
  scopes: ReadonlySet<string>,
): B[] {
  const hides = hiding(resource, scopes)
  return blockers.filter(({ field }) => typeof field !== 'string' || !hides(field))
}

/**
 * Hidden lists that could be too long together. An item that both lists have counts twice, so that the refusal does not
 * tell whether a guessed value is among the hidden ones. It does tell that the lists are long, but only to a token that
 * may write them, and never in a preview.
 */
export function hiddenBlockers(told: readonly ToldPart<MergedPart>[]): Blocker[] {
  const count = (value: unknown) => (Array.isArray(value) ? value.length : 0)
  return told
    .filter(({ part, hidden }) => {
      const { most, primaryValue, secondaryValue } = part
      return hidden && most !== null && count(primaryValue) + count(secondaryValue) > most
    })
    .map(({ part }) => hiddenListTooLong(part.field))
}

/** The projections that hide values of the two records from a token. */
export function hiddenProjections(resource: Resource, scopes: ReadonlySet<string>): Projection[] {
  const projections = mergedFields(resource).flatMap(([, { projection }]) => projection ?? [])
  return [...new Set(projections)].filter(projection => !mayRead(projection, scopes))
}

/**
 * Returns a function that tells whether the token may not read the field of a name in a preview. A name that is not a field of the record
 * is not hidden.
 */
function hiding(resource: Resource, scopes: ReadonlySet<string>): (field: string) => boolean {
  const missing = hiddenProjections(resource, scopes)
  return name => {
    const field = declaredField(resource, name)
    return field !== undefined && missing.some(projection => projection === field.projection)
  }
}

/** The field that a part belongs to: `contactData` for `contactData.phones`. */
function declaredField({ fields }: Resource, name: string): Field | undefined {
  const [declared = ''] = name.split('.')
  return Object.hasOwn(fields, declared) ? fields[declared] : undefined
}
