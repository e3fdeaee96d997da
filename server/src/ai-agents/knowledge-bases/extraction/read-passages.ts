import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { isObject } from '../../../kernel/schema/index.ts'
import type { TableRow } from './block.ts'
import type { Passage } from './passage.ts'

/** Some passages of the result of an extraction at a time, behind the first `skipped` ones. */
export async function* readPassages(
  path: string,
  skipped: number,
  portion: number,
): AsyncGenerator<readonly Passage[]> {
  let some: Passage[] = []
  let number = 0
  for await (const line of createInterface({ input: createReadStream(path), crlfDelay: Number.POSITIVE_INFINITY })) {
    number += 1
    if (number <= skipped) continue
    some.push(toPassage(JSON.parse(line)))
    if (some.length < portion) continue
    yield some
    some = []
  }
  if (some.length > 0) yield some
}

/** The process that wrote it has read a file of a stranger, so nothing is taken for granted. */
function toPassage(value: unknown): Passage {
  const { text, heading, page, row } = isObject(value) ? value : {}
  if (typeof text !== 'string' || typeof heading !== 'string') throw new Error('a passage is not in its form')
  return { text, heading, page: numberOf(page), row: toRow(row) }
}

function toRow(value: unknown): TableRow | null {
  if (!isObject(value)) return null
  return { sheet: typeof value.sheet === 'string' ? value.sheet : null, line: numberOf(value.line) ?? 0 }
}

function numberOf(value: unknown): number | null {
  return typeof value === 'number' && Number.isInteger(value) ? value : null
}
