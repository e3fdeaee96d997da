import type { ReadStream } from 'node:fs'
import { open, readFile } from 'node:fs/promises'
import { packageFolder } from '../../../kernel/product/index.ts'

/** The script of the page that `npm run build` made. */
export interface BuiltScript {
  readonly hash: string
  readonly directory: URL
}

// Tests that run from the sources also take it from the last build.
const usualDirectory = new URL('dist/reference/', packageFolder)

/** The path of the script and the hash of its content; null before the first build. */
export async function builtScript(directory = usualDirectory): Promise<BuiltScript | null> {
  const hash = await readFile(new URL('scalar.js.sha256', directory), 'utf8').catch(() => null)
  return hash === null ? null : { hash: hash.trim(), directory }
}

/** Opens the script for sending, compressed if the client accepts that. Its four megabytes are never held in memory. */
export async function openScript(
  { hash, directory }: BuiltScript,
  acceptEncoding: string | undefined,
): Promise<{ tag: string; headers: Record<string, string>; stream: ReadStream }> {
  const compressed = acceptsGzip(acceptEncoding)
  const file = await open(new URL(compressed ? 'scalar.js.gz' : 'scalar.js', directory))
  const { size } = await file.stat()
  return {
    tag: compressed ? `"${hash}-gzip"` : `"${hash}"`,
    headers: {
      Vary: 'Accept-Encoding',
      'Content-Length': String(size),
      ...(compressed ? { 'Content-Encoding': 'gzip' } : {}),
    },
    stream: file.createReadStream(),
  }
}

/** Whether a client takes answers compressed with gzip, by its `Accept-Encoding`. */
export function acceptsGzip(acceptEncoding = ''): boolean {
  return acceptEncoding.split(',').some(coding => {
    const [name = '', ...parameters] = coding.split(';').map(part => part.trim().toLowerCase())
    return ['gzip', '*'].includes(name) && !parameters.some(parameter => /^q=0(\.0*)?$/u.test(parameter))
  })
}
