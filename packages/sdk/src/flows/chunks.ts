import { isObject, type JsonObject, parsed, textOf } from '../core/json.ts'
import { canonical } from './canonical.ts'

/** What a chunk of rows may have: the bounds of a batch, with room for the envelope. */
const mostRows = 100
const mostBytes = 4_000_000

/** Rows that are sent together. */
export interface Chunk<Row> {
  readonly number: number
  /** The place of its first row among all rows. */
  readonly start: number
  readonly rows: readonly Row[]
  /** What is sent of each row: the members of its JSON. */
  readonly sent: readonly JsonObject[]
}

/**
 * Divides rows into chunks of 100, or fewer if 100 have more than 4 MB or one of them has the key of an earlier one: a batch takes a key
 * once. Where a chunk ends follows from the rows alone, so the same rows make the same chunks. Holds one chunk at a time. Throws TypeError
 * for a row that is no object in JSON.
 */
export async function* chunksOf<Row>(rows: Iterable<Row> | AsyncIterable<Row>): AsyncGenerator<Chunk<Row>> {
  let number = 0
  let start = 0
  let gathered: Row[] = []
  let sent: JsonObject[] = []
  let keys = new Set<string>()
  let bytes = 0
  for await (const row of rows) {
    const text = JSON.stringify(row)
    const members = parsed(text)
    if (!isObject(members)) throw new TypeError(`row ${start + gathered.length} is no object in JSON`)
    const length = encoder.encode(text).length
    const key = textOf(members, 'externalId')
    if (gathered.length > 0 && (gathered.length === mostRows || bytes + length > mostBytes || keys.has(key))) {
      yield { number, start, rows: gathered, sent }
      number += 1
      start += gathered.length
      gathered = []
      sent = []
      keys = new Set()
      bytes = 0
    }
    gathered.push(row)
    sent.push(members)
    if (key !== '') keys.add(key)
    bytes += length
  }
  if (gathered.length > 0) yield { number, start, rows: gathered, sent }
}

const encoder = new TextEncoder()

/**
 * The key of a chunk of a run: the same whenever the run is started with the same `overwrite` and rows, whatever versions the rows bring by
 * then, and in whatever order their members are. So a chunk that was decided before is recognized by the server.
 */
export async function keyOf(
  run: string,
  kind: string,
  overwrite: boolean,
  { number, sent }: Chunk<object>,
): Promise<string> {
  const text = canonical({ overwrite, rows: sent.map(row => ({ ...row, expectedVersion: undefined })) })
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', encoder.encode(text)))
  const hash = Array.from(digest, byte => byte.toString(16).padStart(2, '0')).join('')
  return `${run}/${kind}/${number}/${hash}`
}
