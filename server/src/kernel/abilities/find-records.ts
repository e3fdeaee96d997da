import { columnOf } from '../record/codec.ts'
import { recordStatements } from '../record/record-statements.ts'
import type { ExtraNeed, Resource } from '../record/resource.ts'
import { type JsonObject, phoneDigits, searchForm } from '../schema/index.ts'
import { claimedStatement, type Statement } from '../sql/index.ts'
import type { WorkingSet } from '../write/working-set.ts'
import { namedWords, wordsOfContactData, wordsOfNames } from './search-conditions.ts'

/**
 * How records are looked for by what stands in them: by an e-mail address or a phone number, by a name, which these fields
 * make up, or by a field.
 */
export type FoundBy = 'reached' | { readonly named: readonly string[] } | { readonly field: string }

/** A record that was found: its id, and what it was looked for by. */
export interface FoundRecord extends JsonObject {
  readonly id: string
}

/** More records than that with one value are not told apart. */
const mostFound = 20
/** Of so many records with the words of a name those with the shortest names are taken: others have more than the name. */
const mostNamed = 1000

const compiled = new Map<string, Statement>()

/**
 * Looks for the records that have one of these values, for many values in one statement. The indexes know values in the
 * form of a search, without case and marks, and names by their words, so what is found may differ from the value: whoever asks
 * compares.
 * Gives at most 20 records for each value, and no anonymized ones: of each no more than what it was looked for by, because many
 * large records can have one value. The records are not locked.
 */
export function needFound(resource: Resource, by: FoundBy, values: readonly string[]): ExtraNeed[] {
  const wanted = [...new Set(values.map(value => indexedForm(by, value)))].filter(text => text !== '')
  const statement = statementOf(resource, by)
  return wanted.length === 0 ? [] : [{ name: statement.name, statement, values: [wanted] }]
}

/** The records that `needFound` has found, each once. */
export function foundIn(resource: Resource, by: FoundBy, work: WorkingSet): FoundRecord[] {
  const rows = work.extra(statementOf(resource, by).name)
  return [...new Map(rows.map(row => [String(row.id), { ...row, id: String(row.id) }])).values()]
}

function statementOf(resource: Resource, by: FoundBy): Statement {
  const name = `find_${resource.plural}_${wordFor(resource, by)}`
  const made = compiled.get(name) ?? claimedStatement(name, textOf(resource, by))
  compiled.set(name, made)
  return made
}

function wordFor(resource: Resource, by: FoundBy): string {
  if (by === 'reached') return by
  return 'named' in by ? 'named' : `by_${columnIn(resource, by.field)}`
}

/** $1 organization, $2 values. Each value is looked up in an index by itself. */
function textOf(resource: Resource, by: FoundBy): string {
  const { visible } = recordStatements(resource)
  const table = resource.table.name
  const { condition, looked, order, compared } = waysOf(resource, by)
  return `select t.id, ${compared}
    from unnest($2::text[]) as wanted(value)
   cross join lateral (
      select t.* from (
        select t.* from (
          select t.* from ${table} t
           where t.organization_id = $1 and ${condition}
          offset 0) as t
         where ${visible}
         limit ${looked}) as t
       ${order}limit ${mostFound}) as t`
}

function waysOf(resource: Resource, by: FoundBy) {
  const named = (field: string) => `t.${columnIn(resource, field)} as "${field}"`
  if (by === 'reached') {
    const lists = ['emails', 'phones'].map(list => `'${list}', t.${columnIn(resource, 'contactData')} -> '${list}'`)
    const compared = `jsonb_build_object(${lists.join(', ')}) as "contactData"`
    return { condition: `${wordsOfContactData} @> array[wanted.value]`, looked: mostFound, order: '', compared }
  }
  if ('field' in by) {
    const condition = `t.${columnIn(resource, by.field)} = wanted.value`
    return { condition, looked: mostFound, order: '', compared: named(by.field) }
  }
  const lengths = by.named.map(field => `coalesce(char_length(t.${columnIn(resource, field)}), 0)`)
  const condition = `${wordsOfNames} @> string_to_array(wanted.value, ' ')`
  const compared = by.named.map(named).join(', ')
  return { condition, looked: mostNamed, order: `order by ${lengths.join(' + ')} `, compared }
}

function columnIn({ kind, fields }: Resource, name: string): string {
  const field = fields[name]
  if (field === undefined) throw new Error(`${kind} has no field ${name}`)
  return columnOf(name, field)
}

/** The value as its index has it. */
function indexedForm(by: FoundBy, value: string): string {
  if (by === 'reached') return phoneDigits(value) ?? searchForm(value)
  return 'named' in by ? namedWords(value).join(' ') : value
}
