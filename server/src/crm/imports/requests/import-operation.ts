import { type Caller, defineOperation, mayRead, type Operation, type Presenting } from '../../../kernel/index.ts'
import { isObject, type JsonObject } from '../../../kernel/schema/index.ts'
import { mayReadRows } from '../fields/entity-types.ts'
import { projectionOfField } from '../fields/scopes.ts'
import { importSchema } from '../import-schema.ts'

type Declared = Parameters<typeof defineOperation>[0]

const linkSeconds = 86_400

/** An operation on imports whose answer is one, or a list of them. */
export function importOperation(
  declared: Omit<Declared, 'scopes' | 'answer' | 'project'> & Partial<Pick<Declared, 'answer'>>,
): Operation {
  return defineOperation({
    answer: { data: importSchema },
    ...declared,
    scopes: ['crm_import_manage'],
    project: projectImports,
  })
}

/**
 * Imports as this caller may see them. What stands in the cells of rows with errors is shown to those who may read the
 * records; defaults of fields that the token may not read in records are left out. The links to its files are signed now,
 * so that an answer that is replayed later has good ones.
 */
function projectImports(data: unknown, caller: Caller, presenting: Presenting) {
  const redacted = new Set<string>()
  const shown = (value: unknown) => (isObject(value) ? projectImport(value, caller, presenting, redacted) : value)
  return { data: Array.isArray(data) ? data.map(shown) : shown(data), redacted: [...redacted] }
}

function projectImport(
  { errorsFileId, rowsFileId, authorUuid, errors, defaults, ...others }: JsonObject,
  caller: Caller,
  { clock, files }: Presenting,
  redacted: Set<string>,
): JsonObject {
  const isReadable = mayReadRows(String(others.entityType), caller.scopes)
  const list = Array.isArray(errors) ? errors.filter(isObject) : []
  const linked = (name: string, id: unknown) => {
    if (typeof id !== 'string') return {}
    return { [name]: files.links.link({ organizationId: caller.organization.id, id }, linkSeconds, clock.now()) }
  }
  if (!mayRead('operators', caller.scopes)) redacted.add('operators')
  return {
    ...others,
    defaults: isObject(defaults) ? readableDefaults(defaults, caller, redacted) : null,
    errors: list.map(error => (isReadable ? readableError(error, caller, redacted) : { ...error, value: null })),
    ...linked('errorsFileUrl', errorsFileId),
    ...linked('rowsFileUrl', rowsFileId),
    ...(redacted.has('operators') ? {} : { authorUuid }),
  }
}

function readableError(error: JsonObject, { scopes }: Caller, redacted: Set<string>): JsonObject {
  const projection = projectionOfField(String(error.field))
  if (projection === null || error.value === null || mayRead(projection, scopes)) return error
  redacted.add(projection)
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
