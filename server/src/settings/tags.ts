import { Refusal } from '../kernel/index.ts'
import { isExternalId, violates } from '../kernel/schema/index.ts'
import { type Administration, administer } from './administer.ts'
import { AdministrationError, missing } from './administration-error.ts'
import { application } from './application-record.ts'
import { changeSetting } from './change-setting.ts'
import { tag } from './tag-record.ts'
import { uuidOf, wordOf } from './values.ts'

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
  administration: Administration,
  { organizationId, name, color, ...input }: NewTag,
  taggedKinds: readonly string[],
): Promise<{ id: string }> {
  const kinds = kindsOf(input.kinds ?? taggedKinds, taggedKinds)
  const key = input.key === undefined ? null : checkedKey(input.key)
  return administer(
    administration,
    organizationId,
    {
      needs(needs) {
        needs.toLoadNestedIn(tag, organizationId)
        if (key === null) return
        needs.toLoadNested(application, key.applicationId)
        needs.toCreate(tag.kind, key.externalId)
      },
      decide(draft) {
        if (key !== null && draft.record(application, key.applicationId) === null) {
          return missing('application', key.applicationId)
        }
        if (key !== null && draft.isKeyTaken(tag, key.externalId)) {
          const message = `another tag has the external id ${key.externalId} for this application`
          return violates('/externalId', 'unique', message)
        }
        const created = draft.add(tag, { name, color }, { kinds, externalId: key?.externalId ?? null })
        return created instanceof Refusal ? created : { id: created.id }
      },
    },
    key?.applicationId,
  )
}

export interface TagChange {
  readonly organizationId: string
  readonly tagId: string
  readonly name?: string | undefined
  /** null: none. */
  readonly color?: string | null | undefined
}

/** Changes a tag. Throws an `AdministrationError` when it is unknown, its name is taken, or a value is not valid. */
export async function setTag(
  administration: Administration,
  { organizationId, tagId, ...change }: TagChange,
): Promise<{ id: string }> {
  return changeSetting(administration, { organizationId, kind: tag, id: tagId }, (draft, before) => {
    const changed = draft.alter(tag, before, change)
    return changed instanceof Refusal ? changed : { id: before.id }
  })
}

function kindsOf(words: readonly string[], taggedKinds: readonly string[]): string[] {
  const kinds = new Set(words.map(word => wordOf('a kind', taggedKinds, word)))
  if (kinds.size === 0) throw new AdministrationError('a tag is for at least one kind of records')
  return taggedKinds.filter(kind => kinds.has(kind))
}

function checkedKey({ applicationId, externalId }: TagKey): TagKey {
  if (isExternalId(externalId)) return { applicationId: uuidOf('application', applicationId), externalId }
  throw new AdministrationError('an external id takes 1 to 200 characters, no control characters and no outer space')
}
