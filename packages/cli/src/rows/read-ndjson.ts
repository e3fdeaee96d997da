import { UsageError } from '../failure.ts'
import { isObject } from '../json.ts'
import { readText } from './read-text.ts'
import { type Source, type SourceRow, sourceLimits } from './source-row.ts'

/** The name under which a line that is no object is kept. */
const wholeLine = 'error_text'

/** The rows of a file with an object of JSON on each line. Holds one of them. Throws UsageError for a line that is too long. */
export async function* readNdjson({ file }: Source): AsyncGenerator<SourceRow, void, undefined> {
  let line = 0
  for await (const text of linesOf(file)) {
    line += 1
    if (text.trim() === '') continue
    const value = parsed(text)
    if (!isObject(value))
      yield { line, cells: new Map([[wholeLine, text]]), surplus: [], problem: 'the line is no object of JSON' }
    else {
      const { [wholeLine]: _, ...members } = value
      yield { line, cells: new Map(Object.entries(members)), surplus: [], problem: null }
    }
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
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
