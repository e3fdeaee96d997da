import type { ObjectShape, Shape } from './shape.ts'

/** The way to a part of a record: names of members, and places in lists from 0. */
export type Steps = readonly (string | number)[]

/** A part of a record. */
export interface Place {
  readonly path: string
  readonly steps: Steps
  readonly shape: Shape
}

const longestPath = 300

/** The part of a record at a path such as `contactData.emails[0].value`; a sentence if there is none. */
export function placeAt(record: ObjectShape, path: string): Place | string {
  const steps = stepsOf(path)
  let shape: Shape = record
  let known = ''
  for (const step of steps ?? []) {
    const next = stepInto(shape, step)
    if (next === undefined) return noSuchField(record, path)
    if (typeof next === 'string') return `${known} ${next}`
    known += typeof step === 'number' ? `[${step}]` : `${known === '' ? '' : '.'}${step}`
    shape = next
  }
  return steps === null ? noSuchField(record, path) : { path, steps, shape }
}

function stepsOf(path: string): Steps | null {
  if (path.length > longestPath || !/^\w+(?:\.\w+|\[\d{1,3}\])*$/u.test(path)) return null
  return Array.from(path.matchAll(/\[(\d+)\]|\w+/gu), ([word, place]) => (place === undefined ? word : Number(place)))
}

function stepInto(shape: Shape, step: string | number): Shape | string | undefined {
  if (shape.is === 'list') {
    if (typeof step === 'string') return `is a list: name the place of an element, as in [0]`
    return step < shape.most ? shape.of : `has at most ${shape.most} elements, and the first is [0]`
  }
  if (shape.is !== 'object' || typeof step === 'number' || !Object.hasOwn(shape.members, step)) return undefined
  return shape.members[step]
}

function noSuchField(record: ObjectShape, path: string): string {
  const near = nearestNames(path, plainPathsOf(record))
  return `there is no field ${shortened(path)}${near.length === 0 ? '' : `: did you mean ${near.join(' or ')}?`}`
}

/** The paths of all values of a record, with the first place in each list. */
export function plainPathsOf(shape: Shape, path = ''): string[] {
  if (shape.is === 'list') return plainPathsOf(shape.of, `${path}[0]`)
  if (shape.is !== 'object') return [path]
  const members = Object.entries(shape.members)
  return members.flatMap(([name, each]) => plainPathsOf(each, path === '' ? name : `${path}.${name}`))
}

/** Up to three of the known names that somebody who wrote `word` may have meant, the nearest first. */
export function nearestNames(word: string, known: readonly string[]): string[] {
  const sought = plain(word)
  if (sought === '' || word.length > longestPath) return []
  return known
    .map(name => ({ name, distance: distanceBetween(sought, name) }))
    .filter(({ distance }) => distance <= Math.min(3, Math.floor(sought.length / 3)))
    .sort((one, other) => one.distance - other.distance)
    .slice(0, 3)
    .map(({ name }) => name)
}

/** The distance to the whole name, or to its last part that says something: `email` is near `contactData.emails[0].value`. */
function distanceBetween(sought: string, name: string): number {
  const parts = name.split('.').map(plain)
  return Math.min(...[plain(name), ...parts].map(part => editDistance(sought, part)))
}

const plain = (word: string) => word.replaceAll(/\[\d+\]|[^\p{L}\p{N}]/gu, '').toLowerCase()

/** How many insertions, deletions and replacements turn one word into the other. */
function editDistance(one: string, other: string): number {
  let before = Array.from({ length: other.length + 1 }, (_, index) => index)
  for (const [row, letter] of [...one].entries()) {
    const next = [row + 1]
    for (let column = 1; column <= other.length; column++) {
      const replaced = (before[column - 1] ?? 0) + (letter === other[column - 1] ? 0 : 1)
      next.push(Math.min(replaced, (before[column] ?? 0) + 1, (next[column - 1] ?? 0) + 1))
    }
    before = next
  }
  return before[other.length] ?? 0
}

/** What a message quotes of a word that may be long. */
export function shortened(word: string): string {
  return word.length > 100 ? `${word.slice(0, 100)}…` : word
}
