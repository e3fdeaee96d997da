import type { Caller } from '../auth/index.ts'
import { presentingRead, type Resource, recordStatements, represent, toRecord } from '../record/index.ts'
import { projectRecord } from '../redact/index.ts'
import type { Services } from '../services.ts'
import { type Reader, type Statement, statement } from '../sql/index.ts'

/** For whom records are read, and whose share of the database connections that uses. */
interface Reading {
  readonly caller: Pick<Caller, 'organization' | 'keysOf' | 'scopes'>
  readonly reader: Reader
}

/** Records as one caller may read them. */
interface RecordTexts {
  /** The JSON text of each record, by its id. */
  readonly texts: ReadonlyMap<string, Buffer>
  /** The projections that were applied to them. */
  readonly redacted: readonly string[]
}

/**
 * The records of a kind with these ids as GET would show them to the caller, read by one statement. Those that are gone or anonymized are
 * left out. Each becomes text when its row arrives, so only one of them is in memory as an object.
 */
export async function readRecordTexts(
  resource: Resource,
  ids: readonly string[],
  reading: Reading,
  services: Pick<Services, 'database' | 'clock'>,
): Promise<RecordTexts> {
  const { caller, reader } = reading
  const context = presentingRead(reading, services)
  const texts = new Map<string, Buffer>()
  let redacted: readonly string[] = []
  const values = [caller.organization.id, caller.keysOf, ids]
  await services.database.query(statementOf(resource), values, reader, row => {
    const record = toRecord(row)
    const shown = projectRecord(resource, represent(resource, record, context), caller)
    texts.set(record.id, Buffer.from(JSON.stringify(shown.data)))
    redacted = shown.redacted
  })
  return { texts, redacted }
}

/** The titles of the records of a kind with these ids, as a search shows them, by their ids. Those that are gone or anonymized are left out. */
export async function readRecordTitles(
  resource: Resource,
  ids: readonly string[],
  reading: Reading,
  services: Pick<Services, 'database' | 'clock'>,
): Promise<ReadonlyMap<string, string>> {
  const { caller, reader } = reading
  const context = presentingRead(reading, services)
  const titles = new Map<string, string>()
  const values = [caller.organization.id, caller.keysOf, ids]
  await services.database.query(statementOf(resource), values, reader, row => {
    const record = toRecord(row)
    titles.set(record.id, String(represent(resource, record, context)[resource.hit.title]))
  })
  return titles
}

const compiled = new Map<string, Statement>()

/** $1 organization, $2 application, $3 ids. */
function statementOf(resource: Resource): Statement {
  const { kind, table } = resource
  const known = compiled.get(kind)
  if (known !== undefined) return known
  const { columns, visible } = recordStatements(resource)
  const made = statement(
    `read_${kind}_texts`,
    `select ${columns}
       from unnest($3::uuid[]) as wanted(id)
      cross join lateral (
        select x.* from ${table.name} x where x.organization_id = $1 and x.id = wanted.id offset 0) as t
      where ${visible}`,
  )
  compiled.set(kind, made)
  return made
}
