import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
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
    some.push(JSON.parse(line))
    if (some.length < portion) continue
    yield some
    some = []
  }
  if (some.length > 0) yield some
}
