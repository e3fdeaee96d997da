import { isObject, type JsonObject, valueAt } from '../json.ts'
import { plainText } from './csv.ts'
import { inOneLine } from './printable.ts'

/** The columns of a table and how wide each is. */
export interface Layout {
  readonly paths: readonly string[]
  readonly widths: readonly number[]
}

/**
 * The layout for records such as these: the named members, or all that are no lists or objects, as far as the width has room for them.
 */
export function layoutFor(records: readonly unknown[], width: number, named?: readonly string[]): Layout {
  const paths = named ?? plainMembers(records)
  const wanted = paths.map(path => Math.max(path.length, ...records.map(record => textAt(record, path).length)))
  const widths: number[] = []
  let room = width
  for (const each of wanted) {
    const given = Math.min(each, widest)
    if (named === undefined && widths.length > 0 && given > room) break
    widths.push(given)
    room -= given + gap.length
  }
  return { paths: paths.slice(0, widths.length), widths }
}

const widest = 40
const gap = '  '

export function headingOf({ paths, widths }: Layout): string {
  return lineOf(paths, widths)
}

export function rowOf(record: unknown, { paths, widths }: Layout): string {
  return lineOf(
    paths.map(path => textAt(record, path)),
    widths,
  )
}

/** One record: a line for each member. */
export function sheetOf(record: JsonObject): string {
  const lines = Object.entries(record).flatMap(([name, value]) => linesOf(name, value))
  const width = Math.max(0, ...lines.map(([name]) => name.length))
  return lines.map(([name, text]) => `${name.padEnd(width)}${gap}${text}`.trimEnd()).join('\n')
}

function linesOf(name: string, value: unknown): [string, string][] {
  if (isObject(value)) return Object.entries(value).flatMap(([member, each]) => linesOf(`${name}.${member}`, each))
  if (Array.isArray(value) && value.some(isObject))
    return value.flatMap((each: unknown, index) => linesOf(`${name}.${index}`, each))
  return [[inOneLine(name), cellOf(value)]]
}

function plainMembers(records: readonly unknown[]): string[] {
  const [first] = records
  if (!isObject(first)) return []
  return Object.keys(first).filter(name => records.every(record => !isCompound(valueAt(record, name))))
}

const isCompound = (value: unknown) => typeof value === 'object' && value !== null

const textAt = (record: unknown, path: string) => cellOf(valueAt(record, path))

function cellOf(value: unknown): string {
  if (value === null || value === undefined || value === '') return '-'
  if (Array.isArray(value) && !value.some(isCompound)) return value.length === 0 ? '-' : inOneLine(value.join(', '))
  return inOneLine(plainText(value))
}

function lineOf(cells: readonly string[], widths: readonly number[]): string {
  return cells
    .map((cell, column) => fit(cell, widths[column] ?? 0))
    .join(gap)
    .trimEnd()
}

function fit(text: string, width: number): string {
  return text.length > width ? `${text.slice(0, width - 1)}…` : text.padEnd(width)
}
