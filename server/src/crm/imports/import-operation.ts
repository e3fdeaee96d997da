import {
  type Caller,
  defineOperation,
  expiryOf,
  holderOf,
  mayRead,
  type Operation,
  type Presenting,
} from '../../kernel/index.ts'
import { isObject, type JsonObject } from '../../kernel/schema/index.ts'
import { mayReadRows } from './fields/entity-types.ts'
import { projectionOfField, projectionOfText } from './fields/scopes.ts'
import { importSchema } from './import-schema.ts'

type Declared = Parameters<typeof defineOperation>[0]

const linkSeconds = 86_400
const scopes = ['crm_import_manage'] as const

/** An operation on imports that returns one import or a list of them. */
export function importOperation(
  declared: Omit<Declared, 'scopes' | 'answer' | 'project'> & Partial<Pick<Declared, 'answer'>>,
): Operation {
  return defineOperation({
    answer: { data: importSchema },
    ...declared,
    scopes,
    project: projectImports,
  })
}

/**
 * Imports as this caller may see them. The quoted cells of rows with errors are visible to tokens that may read the records; defaults of
 * fields that the token may not read are omitted. The links to files are signed now, so a replayed answer has valid ones.
 */
export function projectImports(data: unknown, caller: Caller, presenting: Presenting) {
  const redacted = new Set<string>()
  const shown = (value: unknown) => (isObject(value) ? projectImport(value, caller, presenting, redacted) : value)
  return { data: Array.isArray(data) ? data.map(shown) : shown(data), redacted: [...redacted] }
}

function projectImport(
  { errorsFileId, rowsFileId, authorUuid, errors, defaults, ...others }: JsonObject,
  caller: Caller,
  presenting: Presenting,
  redacted: Set<string>,
): JsonObject {
  const isReadable = mayReadRows(String(others.entityType), caller.scopes)
  const list = Array.isArray(errors) ? errors.filter(isObject) : []
  if (!mayRead('operators', caller.scopes)) redacted.add('operators')
  return {
    ...others,
    defaults: isObject(defaults) ? readableDefaults(defaults, caller, redacted) : null,
    errors: list.map(error => (isReadable ? readableError(error, caller, redacted) : { ...error, value: null })),
    ...(typeof errorsFileId === 'string' ? { errorsFileUrl: linkTo(errorsFileId, others.id, caller, presenting) } : {}),
    ...(typeof rowsFileId === 'string' ? { rowsFileUrl: linkTo(rowsFileId, others.id, caller, presenting) } : {}),
    ...(redacted.has('operators') ? {} : { authorUuid }),
  }
}

function linkTo(id: string, importId: unknown, caller: Caller, { clock, files }: Presenting): string {
  const { organization } = caller
  const linked = { organizationId: organization.id, id, resourceId: String(importId), holder: holderOf(caller), scopes }
  return files.links.link(linked, { seconds: linkSeconds, ends: [expiryOf(caller)], now: clock.now() }).url
}

function readableError(error: JsonObject, { scopes }: Caller, redacted: Set<string>): JsonObject {
  if (typeof error.value !== 'string') return error
  const projections = [projectionOfField(String(error.field)), projectionOfText(error.value)]
  const hiding = projections.find(each => each !== null && !mayRead(each, scopes)) ?? null
  if (hiding === null) return error
  redacted.add(hiding)
  return { ...error, value: null }
}

function readableDefaults(defaults: JsonObject, { scopes }: Caller, redacted: Set<string>): JsonObject {
  const shown = Object.entries(defaults).filter(([key]) => {
    const projection = projectionOfField(key)
    if (projection === null || mayRead(projection, scopes)) return true
    redacted.add(projection)
    return false
  })
  return Object.fromEntries(shown)
}
