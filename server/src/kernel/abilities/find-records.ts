import { columnOf, Lookup, type Resource, recordStatements } from '../record/index.ts'
import { type JsonObject, phoneDigits, searchForm, wordsOfContactData } from '../schema/index.ts'
import { claimedStatement, type Statement, statement } from '../sql/index.ts'
import { locatedIn } from './normalize-phones.ts'
import { namedWords, wordsOfNames } from './search-conditions.ts'

/**
 * How to find records by a value: by an e-mail address or a phone number, by a name, which is composed of these fields, or by one field.
 */
export type FoundBy = 'reached' | { readonly named: readonly string[] } | { readonly field: string }

/** A found record: its id, and the fields that were searched. */
export interface FoundRecord extends JsonObject {
  readonly id: string
}

/** The values to search for. */
export interface SoughtValues {
  readonly values: readonly string[]
  /** Values to match only in records for which the application has no key. */
  readonly withoutKey: readonly string[]
  readonly applicationId: string | null
}

/** The most candidates for one value; beyond that the match is ambiguous. */
export const mostFound = 20
/** The most records to examine for one value. Those with the shortest names come first: longer names contain more than the value. */
const mostLookedAt = 1000

const compiled = new Map<string, Statement>()

/**
 * Finds the records that have one of these values, for many values in one statement. The indexes hold values in their search form, without
 * case and marks, and names by their words, so a match may differ from the value: the caller compares. Examines 1,000 records for each
 * value and returns at most 20, without anonymized ones. It returns only the searched fields, because many large records can have one
 * value. The records are not locked. Each is returned once.
 */
export function recordsFound(resource: Resource, by: FoundBy, sought: SoughtValues): Lookup<readonly FoundRecord[]> {
  const { applicationId } = sought
  const indexed = (values: readonly string[]) =>
    [...new Set(values.map(value => indexedForm(by, value)))].filter(text => text !== '')
  const values = [indexed(sought.values), indexed(sought.withoutKey), applicationId]
  return new Lookup(statementOf(resource, by), values, rows => [
    ...new Map(rows.map(row => [String(row.id), { ...row, id: String(row.id) }])).values(),
  ])
}

/** The same outside a mutation: the statement and its values from $2 on, for the connections of searches. */
export function findingRecords(
  resource: Resource,
  by: FoundBy,
  values: readonly string[],
): { readonly statement: Statement; readonly values: readonly unknown[] } {
  const lookup = recordsFound(resource, by, { values, withoutKey: [], applicationId: null })
  return { statement: remembered(`search_${namedFor(resource, by)}`, statement, resource, by), values: lookup.values }
}

function statementOf(resource: Resource, by: FoundBy): Statement {
  return remembered(`find_${namedFor(resource, by)}`, claimedStatement, resource, by)
}

function remembered(name: string, make: typeof statement, resource: Resource, by: FoundBy): Statement {
  const made = compiled.get(name) ?? make(name, textOf(resource, by))
  compiled.set(name, made)
  return made
}

function namedFor(resource: Resource, by: FoundBy): string {
  return `${resource.plural}_${wordFor(resource, by)}`
}

function wordFor(resource: Resource, by: FoundBy): string {
  if (by === 'reached') return by
  return 'named' in by ? 'named' : `by_${columnIn(resource, by.field)}`
}

/**
 * $1 organization, $2 values, $3 values to match only in records for which the application $4 has no key. Each value gets its own index
 * look-up.
 */
function textOf(resource: Resource, by: FoundBy): string {
  const { visible } = recordStatements(resource)
  const table = resource.table.name
  const { condition, order, compared } = waysOf(resource, by)
  return `select t.id, ${compared}
    from (select unnest($2::text[]) as value, false as without_key union all select unnest($3::text[]), true) as wanted
   cross join lateral (
      select t.* from (
        select t.* from (
          select t.* from ${table} t
           where t.organization_id = $1 and ${condition}
          offset 0) as t
         limit ${mostLookedAt}) as t
       where ${visible} and not (wanted.without_key and ${hasKey(resource.kind)})
       ${order}limit ${mostFound}) as t`
}

/**
 * Whether the application has a key for the record. The few keys of the record are found first, whatever the planner's statistics say
 * about the others.
 */
function hasKey(kind: string): string {
  return `exists (
           select 1 from (
             select e.application_id, e.kind, e.gone from external_keys e
              where e.organization_id = $1 and e.resource_id = t.id
             offset 0) as k
            where k.application_id = $4 and k.kind = '${kind}' and not k.gone)`
}

function waysOf(resource: Resource, by: FoundBy) {
  const named = (field: string) => `t.${columnIn(resource, field)} as "${field}"`
  if (by === 'reached') {
    const lists = ['emails', 'phones'].map(list => `'${list}', t.${columnIn(resource, 'contactData')} -> '${list}'`)
    const addresses = locatedIn(`t.${columnIn(resource, 'contactData')}`)
    const compared = `jsonb_build_object(${lists.join(', ')}, 'addresses', ${addresses}) as "contactData"`
    return { condition: `${wordsOfContactData} @> array[wanted.value]`, order: '', compared }
  }
  if ('field' in by) {
    const condition = `t.${columnIn(resource, by.field)} = wanted.value`
    return { condition, order: '', compared: named(by.field) }
  }
  const lengths = by.named.map(field => `coalesce(char_length(t.${columnIn(resource, field)}), 0)`)
  const condition = `${wordsOfNames} @> string_to_array(wanted.value, ' ')`
  const compared = by.named.map(named).join(', ')
  return { condition, order: `order by ${lengths.join(' + ')} `, compared }
}

function columnIn({ kind, fields }: Resource, name: string): string {
  const field = fields[name]
  if (field === undefined) throw new Error(`${kind} has no field ${name}`)
  return columnOf(name, field)
}

/** The value in the form of its index. */
function indexedForm(by: FoundBy, value: string): string {
  if (by === 'reached') return phoneDigits(value) ?? searchForm(value)
  return 'named' in by ? namedWords(value).join(' ') : value
}
