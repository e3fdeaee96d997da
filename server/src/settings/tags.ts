import { isExternalId, newId } from '../kernel/schema/index.ts'
import { type Database, statement, type Transaction } from '../kernel/sql/index.ts'
import { configure } from './administer.ts'
import { AdministrationError, noSuch } from './administration-error.ts'
import { nameOf, uuidOf, wordOf } from './values.ts'

const insertTag = statement(
  'insert_tag',
  `insert into tags (organization_id, id, name, color, kinds, created_at)
   values ($1, $2, $3, $4, $5, now())
   on conflict do nothing
   returning id`,
)

const findApplication = statement(
  'find_application_of_tag_key',
  'select a.id from applications a where a.organization_id = $1 and a.id = $2',
)

const insertTagKey = statement(
  'insert_tag_key',
  `insert into external_keys (organization_id, application_id, kind, gone, key, resource_id, changed_at)
   values ($1, $2, 'tag', false, $3, $4, now())
   on conflict do nothing
   returning key`,
)

/** An application's own name for a tag. */
export interface TagKey {
  readonly applicationId: string
  readonly externalId: string
}

export interface NewTag {
  readonly organizationId: string
  /** Unique in the organization, whatever its letter case. */
  readonly name: string
  /** Kinds of records that can carry it; all that can carry tags unless told. */
  readonly kinds?: readonly string[] | undefined
  /** `#RRGGBB` */
  readonly color?: string | undefined
  readonly key?: TagKey | undefined
}

/** Creates a tag for some of these kinds of records. Throws an `AdministrationError` when its name or key is taken, or a value is not valid. */
export async function createTag(
  database: Database,
  input: NewTag,
  taggedKinds: readonly string[],
): Promise<{ id: string }> {
  const { key, color } = input
  const name = nameOf('the name of a tag', input.name, 100)
  const kinds = kindsOf(input.kinds ?? taggedKinds, taggedKinds)
  if (color !== undefined && !/^#[0-9a-f]{6}$/iu.test(color)) {
    throw new AdministrationError(`"${color}" is no colour: write #RRGGBB`)
  }
  const id = newId()
  return configure(database, input.organizationId, async (transaction, organizationId) => {
    const inserted = await transaction.query(insertTag, [organizationId, id, name, color ?? null, kinds])
    if (inserted.length === 0) throw new AdministrationError(`another tag is named ${name}`)
    if (key !== undefined) await assignKey(transaction, organizationId, id, key)
    return { id }
  })
}

function kindsOf(words: readonly string[], taggedKinds: readonly string[]): string[] {
  const kinds = new Set(words.map(word => wordOf('a kind', taggedKinds, word)))
  if (kinds.size === 0) throw new AdministrationError('a tag is for at least one kind of records')
  return taggedKinds.filter(kind => kinds.has(kind))
}

async function assignKey(
  transaction: Transaction,
  organizationId: string,
  tagId: string,
  { applicationId, externalId }: TagKey,
): Promise<void> {
  if (!isExternalId(externalId)) {
    throw new AdministrationError('an external id takes 1 to 200 characters, no control characters and no outer space')
  }
  const application = uuidOf('application', applicationId)
  const found = await transaction.query(findApplication, [organizationId, application])
  if (found.length === 0) throw noSuch('application', applicationId)
  const assigned = await transaction.query(insertTagKey, [organizationId, application, externalId, tagId])
  if (assigned.length === 0) {
    throw new AdministrationError(`another tag has the external id ${externalId} for this application`)
  }
}
