import { isScope, type Scope } from '../../auth/index.ts'
import { notFound, Refusal, refuse } from '../../errors/index.ts'
import type { Mutation } from '../../mutation/index.ts'
import { defineOperation, type Operation, type OperationDeclaration } from '../../operation.ts'
import type { Resource } from '../../record/index.ts'
import { referencesIn } from '../../write/references.ts'
import { mutate } from '../../write.ts'
import { addressedId, ofRecord } from '../ability.ts'
import { refusalOfVersion, refusalsOfPath } from '../refusals.ts'
import { bodyOf } from '../write-record.ts'
import { decideTags, type ReplacedTags, type TagReplacement } from './decide-tags.ts'
import { replacement, tagSchema, tagsMeta } from './tag-schemas.ts'
import { namedTags, selectTagsOf, toTag } from './tag-statements.ts'

/** `GET` and `PUT /<kind>/:id/tags`: reads the tags of a record, and replaces all of them (specification, "Tags"). */
export function tags(resource: Resource): Operation[] {
  if (resource.roles.tags === undefined) throw new Error(`${resource.plural} have tags, but no field for them`)
  return [listTags(resource), replaceTags(resource)]
}

function listTags(resource: Resource): Operation {
  const select = selectTagsOf(resource)
  return defineOperation({
    ...common(resource, resource.scopes.read),
    id: `${resource.plural}.tags.list`,
    method: 'GET',
    summary: `Read the tags of a ${resource.kind}`,
    description: 'All of them, by name. meta.version is the version of the record.',
    refuses: refusalsOfPath(resource),
    async execute(request, { database }) {
      const { caller, reader } = request
      const values = [caller.organization.id, caller.keysOf, addressedId(request)]
      const rows = await database.query(select, values, reader)
      const [first] = rows
      if (first === undefined) return notFound()
      if (first.gone === true) return refuse('resource_deleted')
      const data = rows.filter(({ id }) => id !== null).map(toTag)
      return { status: 200, data, meta: { version: Number(first.version) } }
    },
  })
}

function replaceTags(resource: Resource): Operation {
  return defineOperation({
    ...common(resource, resource.scopes.write),
    id: `${resource.plural}.tags.replace`,
    method: 'PUT',
    summary: `Replace the tags of a ${resource.kind}`,
    description: 'The version is raised if the set changes; the order of the references means nothing.',
    body: replacement,
    refuses: [
      ...refusalsOfPath(resource),
      ['not_found', 'The body names a tag that does not exist.'],
      ['external_reference_deleted', 'The body names a removed tag by its `externalId`.'],
      refusalOfVersion(resource),
      ['unprocessable', 'A tag is not for records of this kind, or two references lead to one tag.'],
    ],
    execute(request, services) {
      const id = addressedId(request)
      const { expectedVersion, tags } = bodyOf(request)
      const references = referencesIn(tags)
      const { actor } = request
      const mutation = tagReplacement(resource, { id, expectedVersion, references }, actor.applicationId)
      return mutate(mutation, actor, services, ({ step: { record }, tags: rows }) => ({
        status: 200,
        data: rows.map(toTag),
        meta: { version: record.version },
        shown: [{ resource, record }],
      }))
    },
  })
}

/** The mutation that gives a record these tags and no others. */
export function tagReplacement(
  resource: Resource,
  asked: TagReplacement,
  applicationId: string | null,
): Mutation<ReplacedTags> {
  const { id, references } = asked
  const named = namedTags(applicationId, references)
  return {
    needs(needs) {
      needs.toChange(resource, { id })
      for (const reference of references) if ('externalId' in reference) needs.toKnow('tag', reference.externalId)
      needs.toLoad(named.locked, named.loaded)
    },
    decide(work, write) {
      const decided = decideTags(resource, asked, named, work, write)
      if (decided instanceof Refusal) return decided
      const { effect } = decided.step
      if (effect !== null) work.apply(effect)
      return { result: decided }
    },
  }
}

/** What the two operations have in common. Their answers need no redaction, because both require `crm_tags_read`. */
function common(resource: Resource, scope: string) {
  const scopes: readonly Scope[] = [scope, 'crm_tags_read'].filter(isScope)
  return {
    ...ofRecord(resource, '/tags'),
    scopes,
    answer: { data: { type: 'array', items: tagSchema }, meta: tagsMeta },
  } satisfies Partial<OperationDeclaration>
}
