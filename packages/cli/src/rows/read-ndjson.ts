import { UsageError } from '../failure.ts'
import { isObject, type JsonObject } from '../json.ts'
import { failureColumns } from './column-map.rules.ts'
import { readText } from './read-text.ts'
import { type Source, type SourceRow, sourceLimits } from './source-row.ts'

/** The name under which a file of failures keeps a line that could not be read. */
const wholeLine = 'error_text'

/** The rows of a file with an object of JSON on each line. Holds one of them. Throws UsageError for a line that is too long. */
export async function* readNdjson({ file }: Source): AsyncGenerator<SourceRow, void, undefined> {
  let line = 0
  for await (const text of linesOf(file)) {
    line += 1
    if (text.trim() === '') continue
    const value = recordIn(text)
    if (typeof value === 'string') yield { line, cells: new Map([[wholeLine, text]]), surplus: [], problem: value }
    else {
      const isUnmended = Object.hasOwn(value, wholeLine) && failureColumns.every(name => Object.hasOwn(value, name))
      const problem = isUnmended ? `the line has ${wholeLine}: write the record in its place` : null
      yield { line, cells: new Map(Object.entries(value)), surplus: [], problem }
    }
  }
}

/** The object on a line; a sentence if there is none, or it would not be sent as it is written. */
function recordIn(text: string): JsonObject | string {
  let isRounded = false
  const noteRounded = (_: string, value: unknown) => {
    isRounded ||= typeof value === 'number' && Math.abs(value) > Number.MAX_SAFE_INTEGER
    return value
  }
  try {
    const value: unknown = JSON.parse(text, noteRounded)
    if (isRounded) return `a number beyond ${Number.MAX_SAFE_INTEGER} would be rounded: write it as a text`
    return isObject(value) ? value : 'the line is no object of JSON'
  } catch {
    return 'the line is no object of JSON'
  }
}

async function* linesOf(file: string): AsyncGenerator<string, void, undefined> {
  let rest = ''
  let line = 1
  for await (const piece of readText(file)) {
    const lines = (rest + piece).split('\n')
    rest = lines.pop() ?? ''
    for (const each of [...lines, rest])
      if (each.length > sourceLimits.rowCharacters)
        throw new UsageError(
          `${file}, soon after line ${line}: a line has more than ${sourceLimits.rowCharacters} characters`,
        )
    yield* lines
    line += lines.length
  }
  if (rest !== '') yield rest
}
