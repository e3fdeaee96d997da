import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { libraryParts } from './bundled-libraries.ts'
import { repository } from './run.ts'

interface Locked {
  readonly packages: Readonly<Record<string, { readonly version?: string; readonly license?: string }>>
}

const licenceFile = /^(?:licen[cs]e|copying|copyright|notice)(?:[.-].*)?$/iu

export const licencesFile = 'THIRD-PARTY-LICENCES.txt'

const border = `\n\n${'='.repeat(80)}\n`

/** The licences of packages that a program bundles, as they are installed here. */
export async function licencesOf(packages: readonly string[]): Promise<string> {
  const parts = packages.map(async name => {
    const place = join('node_modules', name)
    const { version, license }: { version?: string; license?: string } = JSON.parse(
      await readFile(join(repository, place, 'package.json'), 'utf8'),
    )
    return part(repository, place, `${name} ${version}, ${license}`)
  })
  return `${(await Promise.all(parts)).join(border)}\n`
}

/** Collects the licences of everything in the archive in one readable file. The lock file is where the program was built. */
export async function writeLicences(made: string, program: string): Promise<void> {
  const { packages }: Locked = JSON.parse(await readFile(join(made, 'package-lock.json'), 'utf8'))
  const parts = [await part(program, 'node', 'Node.js'), ...(await libraryParts(program))]
  for (const [place, { version, license }] of Object.entries(packages)) {
    const title = `${place.slice(place.lastIndexOf('node_modules/') + 'node_modules/'.length)} ${version}, ${license}`
    if (place !== '' && (await isInstalled(join(program, place)))) parts.push(await part(program, place, title))
  }
  parts.push(
    await part(program, 'dist/reference', '@scalar/api-reference, whose script shows the reference page'),
    await part(program, 'dist/cabinet', 'The libraries of the pages, which are bundled'),
    await part(program, 'dist/character-maps', 'Adobe CMap Resources, with which PDFs are read, BSD-3-Clause'),
  )
  await writeFile(join(program, licencesFile), `${parts.join(border)}\n`)
}

async function part(program: string, place: string, title: string): Promise<string> {
  const names = (await readdir(join(program, place))).filter(
    name => licenceFile.test(name) || name.endsWith('.LICENSE'),
  )
  const texts = names.sort().map(async name => (await readFile(join(program, place, name), 'utf8')).trim())
  if (names.length === 0) return `${title}\n\nThe package has no text of its licence.`
  return [title, ...(await Promise.all(texts))].join('\n\n')
}

/** Packages for other platforms are in the lock file, but not installed. */
const isInstalled = (folder: string) =>
  readdir(folder).then(
    () => true,
    () => false,
  )
