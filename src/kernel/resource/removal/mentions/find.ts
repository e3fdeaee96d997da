import type { Request } from '../../../operation.ts'
import { mayRead } from '../../../redact/index.ts'
import { codePoints, type Field, type JsonObject, type Projection } from '../../../schema/index.ts'
import type { Services } from '../../../services.ts'
import { readScopes } from '../../ability.ts'
import { nestedReadScopes } from '../../nested/answer.ts'
import { topOf } from '../../nested/define.ts'
import { toRecord } from '../../record.ts'
import type { RecordState, Resource } from '../../resource.ts'
import { recordStatements } from '../../statements.ts'
import { type MentionsRow, mentionsStatement, mostMentions } from './statement.ts'

/** What the token can find, and the projections without which it would find more. */
export interface Mentions {
  readonly data: JsonObject
  readonly redacted: readonly string[]
}

const shortest = 3

/**
 * Free text of other records that calls a person by name, e-mail or phone, for somebody to look at: an erasure does not
 * reach it (contract section 8). Nothing is told that the token may not read: other kinds are not looked through, and
 * e-mails and phones not looked for. One statement for each kind, one after the other, so that one preview takes one of
 * the connections for searches.
 */
export async function findMentions(
  resource: Resource,
  id: string,
  { caller }: Request,
  services: Services,
): Promise<Mentions> {
  const { organization, application, scopes } = caller
  const { database } = services
  const [row] = await database.query(recordStatements(resource).get, [organization.id, application.id, id])
  const called = row === undefined ? [] : whatIsCalled(resource, toRecord(row), scopes)
  const kinds = called.length === 0 ? [] : readableKinds(services, scopes)
  const expression = called.map(asItIs).join('|')
  const mentions: JsonObject[] = []
  const searched: { readonly resourceType: string; readonly complete: boolean }[] = []
  let records = 0
  let isCut = false
  for (const kind of kinds) {
    const names = freeTexts(kind).flatMap(([name, { readGuard }]) => (isReadable(readGuard, scopes) ? [name] : []))
    const values = [organization.id, id, expression]
    const [told] = await database.search<MentionsRow>(mentionsStatement(kind, names), values)
    if (told === undefined) throw new Error(`nothing was told of ${kind.kind}`)
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

function mentionsIn(kind: Resource, { id, within, fields }: MentionsRow['found'][number]): JsonObject[] {
  const top = within === null ? null : { resourceType: topOf(kind).kind, id: within }
  return fields.map(field => ({ resourceType: kind.kind, id, field, within: top }))
}

/** What the token may know the person to be called; two letters would be found everywhere. */
function whatIsCalled(resource: Resource, person: RecordState, scopes: ReadonlySet<string>): string[] {
  const readable = Object.entries(resource.fields).filter(([, { readGuard }]) => isReadable(readGuard, scopes))
  const reached = readable.flatMap(([name, field]) => field.mentionedAs?.(person[name]) ?? [])
  const called = [...(resource.rules.mentionedAs?.(person) ?? []), ...reached]
  return [...new Set(called)].filter(text => codePoints(text) >= shortest)
}

/** The regular expression that matches a text alone. */
function asItIs(text: string): string {
  return text.replace(/[\\^$.|?*+()[\]{}]/gu, sign => `\\${sign}`)
}

/** Kinds of records that the token may read and people write into. */
function readableKinds({ resources, nestedResources }: Services, scopes: ReadonlySet<string>): Resource[] {
  const isGranted = (needed: readonly string[]) => needed.every(scope => scopes.has(scope))
  return [
    ...resources.filter(kind => isGranted(readScopes(kind))),
    ...nestedResources.filter(kind => isGranted(nestedReadScopes(kind))),
  ].filter(kind => freeTexts(kind).some(([, { readGuard }]) => isReadable(readGuard, scopes)))
}

/** The name that another person has mentions nobody else. */
function freeTexts({ fields }: Resource): [string, Field][] {
  return Object.entries(fields).filter(
    ([, { freeText, personal, search }]) => freeText === true && !(personal === true && search === 'names'),
  )
}

function isReadable(guard: Projection | undefined, scopes: ReadonlySet<string>): boolean {
  return guard === undefined || mayRead(guard, scopes)
}

/** Projections that hide what the person is called, or where that would be found. */
function hiddenFrom(
  person: Resource,
  { resources, nestedResources }: Services,
  scopes: ReadonlySet<string>,
): Projection[] {
  const names = Object.values(person.fields).filter(({ mentionedAs }) => mentionedAs !== undefined)
  const texts = [...resources, ...nestedResources].flatMap(kind => freeTexts(kind).map(([, field]) => field))
  const guards = [...names, ...texts].map(({ readGuard }) => readGuard)
  const kinds = nestedResources.filter(kind => freeTexts(kind).length > 0).map(({ guard }) => guard)
  return [...new Set([...guards, ...kinds])].flatMap(guard =>
    guard === undefined || mayRead(guard, scopes) ? [] : [guard],
  )
}
