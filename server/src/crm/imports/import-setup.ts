import {
  bounds,
  cabinetPath,
  defineOperation,
  jsonBody,
  notFound,
  type Operation,
  refusalOfErasure,
} from '../../kernel/index.ts'
import {
  isObject,
  listSchema,
  objectSchema,
  optionalUuidSchema,
  textSchema,
  uuidSchema,
  violates,
} from '../../kernel/schema/index.ts'
import { statement } from '../../kernel/sql/index.ts'
import { changeImport, missingImport, refuseStatus } from './change-import.ts'
import { importRecord, isImportRow, isOpen, toAnswer } from './import.ts'
import { importOperation, projectImports } from './import-operation.ts'
import { importSchema } from './import-schema.ts'
import { findImport } from './survey-import.ts'

/** The applications of organization $1 whose ids a file can have, at most $2. */
const selectKeyOwners = statement(
  'select_key_owners_of_imports',
  `select a.id, a.name from applications a
    where a.organization_id = $1 and a.kind = 'api' and a.enabled order by lower(a.name), a.id limit $2`,
)

/** Application $2 of organization $1, if a file can have its ids. */
const selectKeyOwner = statement(
  'select_key_owner_of_import',
  `select a.id from applications a where a.organization_id = $1 and a.id = $2 and a.kind = 'api' and a.enabled`,
)

/** The last import of organization $1 that was started with the columns of import $2, among the newest $3. */
const selectEarlier = statement(
  'select_earlier_import',
  `select j.* from (
     select ${importRecord.columns} from imports j where j.organization_id = $1 order by j.id desc limit $3) j
     join imports i on i.organization_id = $1 and i.id = $2
    where j.id <> i.id and j.entity_type = i.entity_type and j.started_at is not null and j.form -> 'header' = i.form -> 'header'
    order by j.id desc limit 1`,
)

/**
 * `GET …/imports/{id}/setup`: what a user can choose for an import: whose ids its file has, and how the last file with the same columns
 * was imported. Nothing is kept for that: imports are kept with their mapping (contract section 10.3).
 */
export const importSetup: Operation = defineOperation({
  id: 'imports.setup',
  method: 'GET',
  path: cabinetPath('/imports/{id}/setup'),
  summary: 'Read what can be chosen for an import',
  description: 'The applications whose ids the file can have, and the last import of a file with the same columns.',
  scopes: ['crm_import_manage'],
  refuses: [missingImport],
  answer: {
    data: objectSchema('ImportSetup', {
      applications: listSchema(
        objectSchema('ImportKeyOwner', { id: uuidSchema, name: textSchema('What people call it.', 'ERP') }),
        `The applications, by name, at most ${bounds.importKeyOwners.most}.`,
      ),
      earlier: { anyOf: [importSchema, { type: 'null' }] },
    }),
  },
  project(data, caller, presenting) {
    const { applications, earlier } = isObject(data) ? data : {}
    const shown = projectImports(earlier, caller, presenting)
    return { data: { applications, earlier: shown.data }, redacted: shown.redacted }
  },
  async execute(request, services) {
    if ((await findImport(request, services)) === null) return notFound()
    const { caller, path, reader } = request
    const { database, clock, retention } = services
    const [applications, [earlier]] = await Promise.all([
      database.query(selectKeyOwners, [caller.organization.id, bounds.importKeyOwners.most], reader),
      database.query(selectEarlier, [caller.organization.id, path.id, bounds.earlierImports.most], reader),
    ])
    const times = { now: clock.now(), auditSeconds: retention.auditEntries }
    return {
      status: 200,
      data: { applications, earlier: isImportRow(earlier) ? toAnswer(earlier, times) : null },
      meta: {},
    }
  },
})

/** `PATCH …/imports/{id}/setup`: whose ids the file has, until it is started. */
export const setImportKeys: Operation = importOperation({
  id: 'imports.setKeys',
  method: 'PATCH',
  path: cabinetPath('/imports/{id}/setup'),
  summary: 'Say whose ids the file of an import has',
  description:
    'Those of an application, or of the file: then files that are imported later by users find the records again.',
  body: jsonBody('ImportKeys', {
    applicationId: { ...optionalUuidSchema, description: 'The application; null for ids of the file.' },
  }),
  refuses: [
    missingImport,
    refusalOfErasure,
    ['unprocessable', 'The import was started already, or there is no such application.'],
  ],
  async execute(request, services) {
    const { body, caller, reader } = request
    const { applicationId = null } = isObject(body) ? body : {}
    const values = [caller.organization.id, applicationId]
    const found = applicationId === null ? [] : await services.database.query(selectKeyOwner, values, reader)
    return changeImport(request, services, row => {
      if (!isOpen(row)) return refuseStatus(row.status, 'changed')
      if (applicationId !== null && found.length === 0)
        return violates('/applicationId', 'reference', 'There is no such application in use')
      return { status: 200, changed: { application_id: applicationId === null ? caller.keysOf : String(found[0]?.id) } }
    })
  },
})
