import { DecideAgain, type Distribution, statement } from '../sql/index.ts'
import {
  type Form,
  type Fragment,
  fragmentText,
  groupRows,
  largeForm,
  numberedChanges,
  parametersOf,
  source,
} from './fragments.ts'
import type { Save, SaveStatement, ToSave } from './save.ts'
import { saveStatements } from './save-statements.ts'
import { changes } from './tables.ts'

/**
 * Makes a statement for each fragment, for a cluster: as parts of one statement, the fragments would have their results
 * copied to every node, and would be committed in two phases. Each statement is about the rows of one organization, which
 * are on one node, and checks its own count.
 *
 * The statements run one after another, and foreign keys are checked after each. So their order is part of the promise:
 * what others refer to is written first and removed last, the feed's row comes next to last, and the change events, which
 * take their numbers from it, come last. They get the numbers as values: the planner of a cluster needs five times as long
 * for a statement that reads them from the feed, and all that time the feed is locked.
 */
export function* saveInOrder(
  { organizationId, rows, events, configurationVersion }: ToSave,
  distribution: Distribution,
): Generator<unknown, Save> {
  const statements: SaveStatement[] = []
  for (const fragment of inOrder(groupRows(rows), distribution))
    statements.push(yield* saveFragment(organizationId, fragment))
  if (events.length === 0) return { statements, publish: null }
  statements.push({ statement: moveFeed, values: [organizationId, events.length, configurationVersion] })
  const form = formOf(events)
  const numbered = events.map((event, ordinal) => ({ ordinal, ...event }))
  const table = form === 'row' ? changes : numberedChanges
  const parameters = yield* parametersOf(table, table.columnNames, numbered, form)
  const insert = saveStatements.of(`changes ${form}`, () => changesText(form))
  return {
    statements,
    publish(feed) {
      if (feed === undefined) throw new DecideAgain('the configuration that decided is too old by now')
      return {
        statement: insert,
        values: [organizationId, BigInt(String(feed.seq)) - BigInt(events.length - 1), ...parameters],
      }
    },
  }
}

const formOf = ({ length }: readonly unknown[]): Form => (length === 1 ? 'row' : 'rowset')

function inOrder(fragments: readonly Fragment[], { places, referred }: Distribution): Fragment[] {
  const placeOf = ({ table, operation }: Fragment): number => {
    const place = places.get(table.name) ?? 0
    if (operation !== 'delete') return place
    // Rows that nobody refers to go first: their place in a unique index may be taken in the same transaction.
    return referred.has(table.name) ? 2 * places.size - place : -place - 1
  }
  return fragments.toSorted((one, other) => placeOf(one) - placeOf(other))
}

function* saveFragment(organizationId: string, fragment: Fragment): Generator<unknown, SaveStatement> {
  const { table, operation, columns, rows, signature } = fragment
  const form = formOf(rows)
  const parameters = yield* parametersOf(table, columns, rows, form)
  const key = `one ${signature} ${largeForm(table, rows)} ${form}`
  // Where a row is an organization itself, its id is among its values.
  if (operation === 'insert') {
    const first = table.isTenant ? [] : [organizationId]
    const insert = saveStatements.of(key, () => insertText(fragment, first.length + 1, form))
    return { statement: insert, values: [...first, ...parameters] }
  }
  const counted = saveStatements.of(key, () => countedText(fragmentText(fragment, 3, form).text))
  return { statement: counted, values: [organizationId, rows.length, ...parameters] }
}

/**
 * Several rows come with the organization's own row: the statement then runs on its node as a whole. Rows that come from a
 * parameter alone would be copied there by the coordinator, which commits that in two phases.
 */
function insertText(fragment: Fragment, parameter: number, form: Form): string {
  if (form === 'row') return fragmentText(fragment, parameter, form).text
  const { text } = fragmentText(fragment, parameter, form, 'o.id')
  return `${text}\n cross join organizations o\n where o.id = $1`
}

const countedText = (text: string) => `with touched as (
${text}
  returning 1)
select expect_rows(count(*), $2::bigint) from touched`

const moveFeed = statement(
  'move_feed',
  `update organization_feed f set seq = f.seq + $2::bigint
    where f.organization_id = $1 and f.oldest_configuration <= $3::bigint
   returning f.seq`,
)

/** $2 is the number of the first change event. */
function changesText(form: Form): string {
  const columns = changes.columnNames
  const into = `insert into changes (organization_id, seq, ${columns.join(', ')})`
  if (form === 'row') {
    const values = columns.map((column, index) => `$${index + 3}::${changes.columns[column]}`)
    return `${into}\nvalues ($1, $2::bigint, ${values.join(', ')})`
  }
  const { text } = source(numberedChanges, numberedChanges.columnNames, 3, form)
  const values = columns.map(column => `r.${column}`).join(', ')
  return `${into}\nselect o.id, $2::bigint + r.ordinal, ${values}\n  from ${text}\n cross join organizations o\n where o.id = $1`
}
