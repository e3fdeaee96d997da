import { readFile, stat } from 'node:fs/promises'
import { UsageError } from './failure.ts'
import { isObject, type JsonObject } from './json.ts'
import type { Shell } from './shell.ts'

/** More than the longest body that the API takes. */
const longestBody = 16 * 1024 * 1024

/** A body: JSON itself, `@file`, or `-` for standard input. Throws UsageError if it is no JSON object. */
export async function readBody(shell: Shell, text: string): Promise<JsonObject> {
  if (text === '-') return parseObject(await readAll(shell.input, longestBody, 'standard input'), 'standard input')
  if (!text.startsWith('@')) return parseObject(text, '--data')
  const file = text.slice(1)
  try {
    if ((await stat(file)).size > longestBody) throw new UsageError(`${file} has more than ${longestBody} bytes`)
    return parseObject(await readFile(file, 'utf8'), file)
  } catch (error) {
    if (error instanceof Error && 'code' in error) throw new UsageError(`${file} cannot be read: ${String(error.code)}`)
    throw error
  }
}

/** A whole stream as text. Throws UsageError, and reads no further, if it has more bytes than the limit. */
export async function readAll(
  stream: AsyncIterable<Uint8Array | string>,
  limit: number,
  name: string,
): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of stream) {
    const bytes = Buffer.from(chunk)
    size += bytes.length
    if (size > limit) throw new UsageError(`${name} has more than ${limit} bytes`)
    chunks.push(bytes)
  }
  return Buffer.concat(chunks).toString('utf8')
}

/** The object that a text stands for. `name` is what people call the text. Throws UsageError if it is not one. */
function parseObject(text: string, name: string): JsonObject {
  let value: unknown
  try {
    // Some editors begin a file with the mark of its encoding.
    value = JSON.parse(text.replace(/^\ufeff/u, ''))
  } catch {
    throw new UsageError(`${name} is no JSON`)
  }
  if (!isObject(value)) throw new UsageError(`${name} must be a JSON object`)
  return value
}
