import { isObject } from '../json.ts'
import { nearestNames, shortened } from '../rows/field-path.rules.ts'

/** The members that records can have. Those of a list are those of its elements. */
export interface Names {
  /** 0: a value without members. 1: an object that may have any. */
  readonly [name: string]: Names | 0 | 1
}

/** Why there is nothing at one of these paths, such as `contactData.emails.0.value`, and what there is. Undefined if there may be something at each. */
export function unknownField(paths: readonly string[], names: Names): string | undefined {
  return paths.map(path => unknownIn(path, names)).find(sentence => sentence !== undefined)
}

function unknownIn(path: string, names: Names): string | undefined {
  let known: Names | 0 | 1 = names
  // The place in a list is a number; which lists have how many elements, no document tells.
  for (const step of path.split('.').filter(each => !/^\d+$/u.test(each))) {
    if (known === 1) return undefined
    const next: Names | 0 | 1 | undefined = known !== 0 && Object.hasOwn(known, step) ? known[step] : undefined
    if (next === undefined) return noSuchField(path, step, known)
    known = next
  }
  return undefined
}

function noSuchField(path: string, step: string, known: Names | 0): string {
  const names = Object.keys(known)
  if (names.length === 0) return `there is no field ${shortened(path)}`
  const [near] = nearestNames(step, names)
  const meant = near === undefined ? '' : `did you mean ${near}? `
  return `there is no field ${shortened(path)}: ${meant}There ${names.length === 1 ? 'is' : 'are'} ${names.join(', ')}`
}

/** The members of records that nothing else tells of. Undefined if they have none. */
export function namesOf(records: readonly unknown[]): Names | undefined {
  const names = records.filter(isObject).flatMap(record => Object.keys(record))
  return names.length === 0 ? undefined : Object.fromEntries(names.map(name => [name, 1]))
}
