import { createWriteStream, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { onTestFinished } from 'vitest'

/** A folder that ends with the test. */
export function aFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'crm-files-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return folder
}

/** A CSV file of so many people, in words of another system, each with a key of its own. */
export async function aPeopleFile(folder: string, count: number): Promise<string> {
  const file = join(folder, 'people.csv')
  await pipeline(Readable.from(linesOf(count)), createWriteStream(file))
  return file
}

/** What the columns of such a file are in the API. */
export const peopleMap = ['--key', 'No', '--map', 'Given name=firstName', '--map', 'E-mail=contactData.emails[0].value']

function* linesOf(count: number): Generator<string> {
  yield 'No,Given name,E-mail\n'
  for (let at = 0; at < count; at++) yield `person-${at},Anna,anna-${at}@example.com\n`
}
