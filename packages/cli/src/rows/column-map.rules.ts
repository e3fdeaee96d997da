import { nearestNames, type Place, placeAt, plainPathsOf, shortened } from './field-path.rules.ts'
import type { ObjectShape } from './shape.ts'

/** Which field each column goes to. A column that is left out is absent. */
export type ColumnMap = ReadonlyMap<string, Place>

/** What the user says about the columns. */
export interface AskedMap {
  /** Each as `COLUMN=FIELD`; without a field, the column is left out. */
  readonly maps: readonly string[]
  /** The column with the key of a record; `externalId` unless given. */
  readonly key?: string | undefined
}

/** Columns that a file of failures has besides those of its rows. */
export const failureColumns = ['error_line', 'error_code', 'error_message'] as const

/** What the columns mean; a sentence if one of them means nothing, or a map names what is not there. */
export function columnMapOf(columns: readonly string[], asked: AskedMap, shape: ObjectShape): ColumnMap | string {
  const paths = askedPaths(asked)
  if (typeof paths === 'string') return paths
  const known = columns.filter(column => !failureColumns.some(name => name === column))
  for (const column of paths.keys())
    if (!known.includes(column)) return `there is no column ${quoted(column)}${near(column, known)}`

  const map = new Map<string, Place>()
  for (const column of known) {
    const path = paths.get(column) ?? column
    if (path === '') continue
    const place = placeAt(shape, path)
    if (typeof place === 'string')
      return paths.has(column) ? `--map ${quoted(column)}: ${place}` : unknownColumn(column, shape)
    const other = [...map].find(([, { steps }]) => isWithin(steps, place.steps) || isWithin(place.steps, steps))
    if (other !== undefined) return `the columns ${quoted(other[0])} and ${quoted(column)} both go to ${other[1].path}`
    map.set(column, place)
  }
  if ([...map.values()].some(({ path }) => path === 'externalId')) return map
  return `no column has the keys of the records: name it with --key COLUMN. The columns are ${known.slice(0, 20).map(quoted).join(', ')}`
}

/** The lists that columns are elements of, such as `contactData.emails`. */
export function listsOf(map: ColumnMap): string[] {
  const paths = Array.from(map.values(), ({ path }) => path).filter(path => path.includes('['))
  return [...new Set(paths.map(path => path.slice(0, path.indexOf('['))))]
}

function askedPaths({ maps, key }: AskedMap): Map<string, string> | string {
  const paths = new Map<string, string>(key === undefined ? [] : [[key, 'externalId']])
  for (const map of maps) {
    const at = map.lastIndexOf('=')
    if (at < 1) return `--map is COLUMN=FIELD, not ${quoted(map)}`
    const column = map.slice(0, at)
    if (paths.has(column)) return `the column ${quoted(column)} is mapped twice`
    paths.set(column, map.slice(at + 1).trim())
  }
  return paths
}

function unknownColumn(column: string, shape: ObjectShape): string {
  const [field = 'FIELD'] = nearestNames(column, plainPathsOf(shape))
  return (
    `no field has the name of the column ${quoted(column)}: map it, as in --map '${shortened(column)}=${field}', ` +
    `or leave it out with --map '${shortened(column)}='`
  )
}

function near(word: string, known: readonly string[]): string {
  const found = nearestNames(word, known)
  if (found.length > 0) return `: did you mean ${found.map(quoted).join(' or ')}?`
  return `. The columns are ${known.slice(0, 20).map(quoted).join(', ')}`
}

const quoted = (word: string) => `"${shortened(word)}"`

const isWithin = (inner: readonly unknown[], outer: readonly unknown[]) =>
  outer.every((step, index) => inner[index] === step)
