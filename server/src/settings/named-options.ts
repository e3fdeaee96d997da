import type { Resource } from '../kernel/index.ts'
import type { Database } from '../kernel/sql/index.ts'
import { application } from './application.ts'
import { organization } from './organization.ts'
import { idNamed } from './organization-of.ts'
import { pipeline } from './pipeline.ts'

/** Options of commands that name a setting. */
export interface NamingOptions {
  readonly organization?: string
  readonly application?: string
  readonly pipeline?: string
}

/** The same options with ids instead of names. Throws like `idNamed`. */
export async function withIds(database: Database, options: NamingOptions): Promise<NamingOptions> {
  const idOf = (kind: Resource, text: string | undefined, owner?: string) =>
    text === undefined ? undefined : idNamed(database, kind, text, owner)
  const owner = await idOf(organization, options.organization)
  const [app, line] = await Promise.all([
    idOf(application, options.application, owner),
    idOf(pipeline, options.pipeline, owner),
  ])
  return {
    ...(owner === undefined ? {} : { organization: owner }),
    ...(app === undefined ? {} : { application: app }),
    ...(line === undefined ? {} : { pipeline: line }),
  }
}
