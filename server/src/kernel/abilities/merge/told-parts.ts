import type { Resource } from '../../record/resource.ts'
import { mayRead } from '../../redact/index.ts'
import type { Field, JsonObject, Projection } from '../../schema/index.ts'
import { type Blocker, hiddenListTooLong } from '../referrers/index.ts'
import { type MergedPart, mergedFields } from './merged-fields.ts'

/** What decides how much of a part a token is told. It is stored with the answer of a preview. */
export type PartFacts = Pick<MergedPart, 'field' | 'isDeclared' | 'isList' | 'changes'> & { readonly outcome: string }

/** A part, and whether the token may not read its values. */
export interface ToldPart<Part extends PartFacts> {
  readonly part: Part
  readonly hidden: boolean
}

/**
 * Pure: what a token is told of the parts of a merge. Of a field that it may not read, everything it is told is the same
 * whatever the two records hold: otherwise somebody could put a record with guessed values beside a victim, and ask
 * whether they are the same. So the parts of such a field are those that every record has, or that the organization has
 * configured, and not those that are filled (specification, "Protected values"; contract sections 5 and 8).
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

/** Names of the fields that only the client can decide: those that conflict, and of the hidden ones all that can. */
export function requiredResolutions(told: readonly ToldPart<PartFacts>[]): string[] {
  return told
    .filter(({ part, hidden }) => (hidden ? !part.isList : part.outcome === 'conflict'))
    .map(({ part }) => part.field)
}

/** Those parts that a token can choose a side of: of a hidden one only who may write it. */
export function choosable<Part extends PartFacts>(
  resource: Resource,
  told: readonly ToldPart<Part>[],
  scopes: ReadonlySet<string>,
): ToldPart<Part>[] {
  return told.filter(({ part, hidden }) => !hidden || writeScopesOf(resource, [part]).every(scope => scopes.has(scope)))
}

/**
 * Scopes that a preview names for the commit, beyond those of its route: the write scopes of fields that the merge
 * changes in the primary, or can change by the choice of a side, and of hidden ones in any case (contract section 8).
 */
export function announcedScopes(resource: Resource, told: readonly ToldPart<PartFacts>[]): string[] {
  const announced = told.filter(({ part, hidden }) => hidden || part.changes)
  return writeScopesOf(
    resource,
    announced.map(({ part }) => part),
  )
}

/**
 * Scopes that the commit needs: those of fields that it changes. Who lacks one learns by the refusal that the merge would
 * change something of the field; a guess cannot be tried by that, because it could not be written to a record either.
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

/** What forbids a merge, without what would count hidden values. */
export function toldBlockers<B extends JsonObject>(
  resource: Resource,
  blockers: readonly B[],
  scopes: ReadonlySet<string>,
): B[] {
  const hides = hiding(resource, scopes)
  return blockers.filter(({ field }) => typeof field !== 'string' || !hides(field))
}

/**
 * Hidden lists that could be too long together. Items of both count twice, so that a refusal says nothing of whether a
 * guessed value is among the hidden ones. That the lists are long it says, but only to who may write them; a preview
 * does not.
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

/** Projections that keep values of the two records from a token. */
export function hiddenProjections(resource: Resource, scopes: ReadonlySet<string>): Projection[] {
  const projections = mergedFields(resource).flatMap(([, { projection }]) => projection ?? [])
  return [...new Set(projections)].filter(projection => !mayRead(projection, scopes))
}

/** Whether a token may not read what a name of a preview stands for; what is no field of the record is not hidden. */
function hiding(resource: Resource, scopes: ReadonlySet<string>): (field: string) => boolean {
  const missing = hiddenProjections(resource, scopes)
  return name => {
    const field = declaredField(resource, name)
    return field !== undefined && missing.some(projection => projection === field.projection)
  }
}

/** The field that a part belongs to: `contactData` of `contactData.phones`. */
function declaredField({ fields }: Resource, name: string): Field | undefined {
  const [declared = ''] = name.split('.')
  return Object.hasOwn(fields, declared) ? fields[declared] : undefined
}
