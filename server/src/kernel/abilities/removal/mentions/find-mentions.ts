import type { Request } from '../../../operation.ts'
import { type RecordState, type Resource, recordStatements, topOf, toRecord } from '../../../record/index.ts'
import { codePoints, type JsonObject } from '../../../schema/index.ts'
import type { Services } from '../../../services.ts'
import { type Database, failureOf, type Reader, type Statement } from '../../../sql/index.ts'
import { type MentionsRow, mentionsStatement, mostMentions } from './mentions-statement.ts'
import { hiddenFrom, isReadable, readableKinds, readableTexts } from './readable-texts.ts'

/** The mentions that the token may see, and the projections that hide others from it. */
export interface Mentions {
  readonly data: JsonObject
  readonly redacted: readonly string[]
}

const shortest = 3

/**
 * Finds free text of other records that names a person, or contains the person's e-mail or phone. An erasure does not reach such text, so
 * somebody has to look at it (contract section 8). The result reveals nothing that the token may not read: kinds that it may not read are
 * not searched, and e-mails and phones that it may not read are not searched for. The statements, one for each kind, run one after the
 * other, so that a preview uses only one of the connections for searches.
 */
export async function findMentions(
  resource: Resource,
  id: string,
  { caller, reader }: Request,
  services: Services,
): Promise<Mentions> {
  const { organization, keysOf, scopes } = caller
  const { database } = services
  const [row] = await database.query(recordStatements(resource).get, [organization.id, keysOf, id], reader)
  const called = row === undefined ? [] : whatIsCalled(resource, toRecord(row), scopes)
  const kinds = called.length === 0 ? [] : readableKinds(services, scopes)
  const expression = called.map(asItIs).join('|')
  const mentions: JsonObject[] = []
  const searched: { readonly resourceType: string; readonly complete: boolean }[] = []
  let records = 0
  let isCut = false
  let isBusy = false
  for (const kind of kinds) {
    const statement = mentionsStatement(kind, readableTexts(kind, scopes))
    const told: MentionsRow = isBusy
      ? nothing
      : await lookThrough(database, statement, [organization.id, id, expression], reader)
    isBusy ||= told === nothing
    mentions.push(...told.found.flatMap(found => mentionsIn(kind, found)))
    searched.push({ resourceType: kind.kind, complete: told.complete })
    records += told.records
    isCut ||= told.records > told.found.length
  }
  return {
    data: {
      mentions: mentions.slice(0, mostMentions),
      mentionsCount: records,
      mentionsTruncated: isCut || mentions.length > mostMentions || searched.some(({ complete }) => !complete),
      mentionsSearched: searched,
    },
    redacted: hiddenFrom(resource, services, scopes),
  }
}

const nothing: MentionsRow = { records: 0, complete: false, found: [] }

/** The mentions in one kind; `nothing` if the search timed out, because the rest of the preview does not depend on it. */
async function lookThrough(
  database: Database,
  statement: Statement,
  values: unknown[],
  reader: Reader,
): Promise<MentionsRow> {
  try {
    const [row] = await database.search<MentionsRow>(statement, values, reader)
    return row ?? nothing
  } catch (error) {
    if (failureOf(error) === 'unavailable') return nothing
    throw error
  }
}

function mentionsIn(kind: Resource, { id, within, fields }: MentionsRow['found'][number]): JsonObject[] {
  const top = within === null ? null : { resourceType: topOf(kind).kind, id: within }
  return fields.map(field => ({ resourceType: kind.kind, id, field, within: top }))
}

/**
 * The names, e-mails and phones of the person that the token may read. Very short texts are omitted, because they would match everywhere.
 */
function whatIsCalled(resource: Resource, person: RecordState, scopes: ReadonlySet<string>): string[] {
  const readable = Object.entries(resource.fields).filter(([, { projection }]) => isReadable(projection, scopes))
  const called = readable.flatMap(([name, field]) => field.mentionedAs?.(person[name], person) ?? [])
  return [...new Set(called)].filter(text => codePoints(text) >= shortest)
}

/** A regular expression that matches exactly this text. */
function asItIs(text: string): string {
  return text.replace(/[\\^$.|?*+()[\]{}]/gu, sign => `\\${sign}`)
}
