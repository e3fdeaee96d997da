import { readdir, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'

interface Installed {
  /** Where it lies, as a lock of npm says it. */
  readonly place: string
  readonly name: string
  readonly version: string
}

const packageFile = /(?:^|\/)node_modules\/(?:@[^/]+\/)?[^/@]+\/package\.json$/u

/** Every package that lies below a folder. */
export async function installedIn(folder: string): Promise<Installed[]> {
  const files = (await readdir(folder, { recursive: true })).filter(file => packageFile.test(file))
  return Promise.all(
    files.map(async file => {
      const { name, version }: Installed = JSON.parse(await readFile(join(folder, file), 'utf8'))
      return { place: dirname(file), name, version }
    }),
  )
}
