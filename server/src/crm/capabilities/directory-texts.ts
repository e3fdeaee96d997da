import { type Caller, mayRead, type Request } from '../../kernel/index.ts'
import type { Projection } from '../../kernel/schema/index.ts'
import type { Database } from '../../kernel/sql/index.ts'
import { capDirectories, type DirectoriesRow, selectDirectories, selectVersionAndUse } from './directories.ts'
import { type Texts, TextsByVersion } from './texts-by-version.ts'

type HiddenDirectories = readonly (readonly [name: string, projection: Projection])[]

const protectedDirectories: HiddenDirectories = [
  ['tags', 'tags'],
  ['customFields', 'custom_fields'],
  ['operators', 'operators'],
]

/** Directories that the token may not read, each with the projection that removes it. */
export function directoriesHiddenFrom({ scopes }: Caller): HiddenDirectories {
  return protectedDirectories.filter(([, projection]) => !mayRead(projection, scopes))
}

const keptTexts = new WeakMap<Database, TextsByVersion>()

/** The parts that come from the current state of the organization. */
interface OrganizationTexts extends Texts {
  readonly storage: { readonly quotaBytes: number; readonly usedBytes: number }
}

/**
 * The configuration of the organization is read and serialized again when its version has changed; what the organization uses is read each
 * time.
 */
export async function textsFor(
  { caller, reader }: Request,
  hidden: HiddenDirectories,
  database: Database,
): Promise<OrganizationTexts> {
  const { organization, keysOf } = caller
  const kept = keptTexts.get(database) ?? new TextsByVersion()
  keptTexts.set(database, kept)
  const name = [organization.id, keysOf, ...hidden.map(([directory]) => directory)].join(' ')
  const [current] = await database.query(selectVersionAndUse, [organization.id], reader)
  const storage = { quotaBytes: Number(current?.quota), usedBytes: Number(current?.used) }
  const known = kept.find(name, String(current?.version))
  if (known !== null) return { ...known, storage }

  const [row] = await database.search<DirectoriesRow>(selectDirectories, [organization.id, keysOf], reader)
  if (row === undefined) throw new Error('the statement of the directories returned no row')
  const shown = Object.entries(capDirectories(row)).filter(
    ([each]) => !hidden.some(([directory]) => directory === each),
  )
  const texts = {
    version: row.version,
    organization: JSON.stringify(row.organization),
    directories: JSON.stringify(Object.fromEntries(shown)),
  }
  kept.keep(name, texts)
  return { ...texts, storage }
}
