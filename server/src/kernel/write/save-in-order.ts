import { DecideAgain, type Distribution, type Statement, statement } from '../sql/index.ts'
import {
  type Form,
  type Fragment,
  fileBytesMoved,
  fragmentParameters,
  fragmentText,
  groupRows,
  isCounted,
  largeForm,
  numberedChanges,
  saveStatements,
  source,
  tuplesOf,
} from './fragments.ts'
import type { Save, SaveStatement, ToSave } from './save.ts'
import { changesTable } from './tables.ts'

/**
 * Makes a statement for each fragment, for a cluster: as parts of one statement, the results of the fragments would be copied to every
 * node, and committed in two phases. Each statement affects the rows of one organization, which are on one node, and checks its own row
 * count.
 *
 * The statements run one after another, and foreign keys are checked after each. So their order matters: referred rows are written first
 * and removed last, the row of the feed comes next to last, and the change events, which take their numbers from it, come last. They get
 * the numbers as values: the planner of a cluster needs five times as long for a statement that reads them from the feed, and the feed is
 * locked all that time.
 */
export function* saveInOrder(
  { organizationId, rows, events, configurationVersion }: ToSave,
  distribution: Distribution,
): Generator<unknown, Save> {
  const statements: SaveStatement[] = []
  for (const fragment of inOrder(groupRows(rows), distribution).flatMap(inPortions))
    statements.push(yield* saveFragment(organizationId, fragment))
  const bytes = fileBytesMoved(rows)
  if (bytes !== null) statements.push({ statement: moveFileBytes, values: [organizationId, 1, bytes] })
  if (events.length === 0) return { statements, publish: null }
  statements.push({ statement: moveFeed, values: [organizationId, events.length, configurationVersion] })
  const publications: Publication[] = []
  let before = 0
  for (const portion of portionsOf(events)) {
    publications.push(yield* publicationOf(portion, before))
    before += portion.length
  }
  return {
    statements,
    publish(feed) {
      if (feed === undefined) throw new DecideAgain('the configuration behind the decision is too old by now')
      const first = BigInt(String(feed.seq)) - BigInt(events.length - 1)
      return publications.map(({ before, parameters, ...publication }) => ({
        ...publication,
        values: [organizationId, first + BigInt(before), ...parameters],
      }))
    },
  }
}

/**
 * The numbers of rows that one statement inserts value by value. Such a statement is planned once, whereas the planner of a cluster plans
 * an insert of a rowset anew for each shard. There are few sizes, so that few statements have to be prepared.
 */
const portions = [16, 8, 4, 2, 1]
/** From this number on, rows are inserted as one rowset: in portions they would need so many statements that they would cost as much. */
const manyRows = 32

const insertForm = ({ length }: readonly unknown[]): Form => (length < manyRows ? 'values' : 'rowset')

function portionsOf<One>(rows: readonly One[]): readonly One[][] {
  if (rows.length >= manyRows) return [[...rows]]
  const parts: One[][] = []
  let from = 0
  while (from < rows.length) {
    const size = portions.find(each => each <= rows.length - from) ?? 1
    parts.push(rows.slice(from, from + size))
    from += size
  }
  return parts
}

function inPortions(fragment: Fragment): readonly Fragment[] {
  if (fragment.operation !== 'insert') return [fragment]
  return portionsOf(fragment.rows).map(rows => ({ ...fragment, rows }))
}

function inOrder(fragments: readonly Fragment[], { places, referred }: Distribution): Fragment[] {
  const placeOf = ({ table, operation }: Fragment): number => {
    const place = places.get(table.name) ?? 0
    if (operation !== 'delete') return place
    // Rows to which nothing refers go first: their values in a unique index may be reused in the same transaction.
    return referred.has(table.name) ? 2 * places.size - place : -place - 1
  }
  return fragments.toSorted((one, other) => placeOf(one) - placeOf(other))
}

function* saveFragment(organizationId: string, fragment: Fragment): Generator<unknown, SaveStatement> {
  const { table, operation, columns, rows, signature } = fragment
  // The row of an organization has its id among its values.
  if (operation === 'insert') {
    const form = insertForm(rows)
    const parameters = yield* fragmentParameters(table, columns, rows, form)
    const first = table.isTenant ? [] : [organizationId]
    const key = `one ${signature} ${form === 'values' ? rows.length : largeForm(table, rows)} ${form}`
    const insert = saveStatements.of(key, () => insertText(fragment, first.length + 1, form))
    return { statement: insert, values: [...first, ...parameters] }
  }
  const form: Form = rows.length === 1 ? 'values' : 'rowset'
  const parameters = yield* fragmentParameters(table, columns, rows, form)
  if (!isCounted(fragment)) {
    const uncounted = saveStatements.of(`one ${signature} ${form}`, () => fragmentText(fragment, 2, form).text)
    return { statement: uncounted, values: [organizationId, ...parameters] }
  }
  const counted = saveStatements.of(`one ${signature} ${form}`, () => countedText(fragmentText(fragment, 3, form).text))
  return { statement: counted, values: [organizationId, rows.length, ...parameters] }
}

/**
 * Joins the rowset with the organization's own row: the whole statement then runs on its node. Rows that come only from a parameter would
 * be copied to the node by the coordinator, which commits that in two phases.
 */
function insertText(fragment: Fragment, parameter: number, form: Form): string {
  if (form === 'values') return fragmentText(fragment, parameter, form).text
  const { text } = fragmentText(fragment, parameter, form, 'o.id')
  return `${text}\n cross join organizations o\n where o.id = $1`
}

const countedText = (text: string) => `with touched as (
${text}
  returning 1)
select expect_rows(count(*), $2::bigint) from touched`

const moveFileBytes = statement(
  'move_file_bytes',
  countedText('  update organization_feed f set file_bytes = f.file_bytes + $3::bigint where f.organization_id = $1'),
)

const moveFeed = statement(
  'move_feed',
  `update organization_feed f set seq = f.seq + $2::bigint, last_changes_seq = f.last_changes_seq + $2::bigint
    where f.organization_id = $1 and f.oldest_configuration <= $3::bigint
   returning f.seq`,
)

/** A statement that writes change events, except for the number of the first of them. */
interface Publication {
  readonly statement: Statement
  /** The number of earlier events in the same save. */
  readonly before: number
  readonly parameters: readonly unknown[]
}

function* publicationOf(events: ToSave['events'], before: number): Generator<unknown, Publication> {
  const form = insertForm(events)
  // Events that are sent as values are numbered in the text of the statement. In a rowset each row has its ordinal.
  const table = form === 'values' ? changesTable : numberedChanges
  const rows = form === 'values' ? events : events.map((event, ordinal) => ({ ordinal, ...event }))
  const parameters = yield* fragmentParameters(table, table.columnNames, rows, form)
  const size = form === 'values' ? events.length : ''
  return {
    statement: saveStatements.of(`changes ${form} ${size}`, () => changesText(form, events.length)),
    before,
    parameters,
  }
}

/** $2 is the number of the first change event. */
function changesText(form: Form, count: number): string {
  const columns = changesTable.columnNames
  const into = `insert into changes (organization_id, seq, ${columns.join(', ')})`
  if (form === 'values') {
    const numbered = (event: number) => ['$1', `$2::bigint + ${event}`]
    return `${into}\nvalues ${tuplesOf(changesTable, columns, 3, count, numbered)}`
  }
  const { text } = source(numberedChanges, numberedChanges.columnNames, 3, form)
  const values = columns.map(column => `r.${column}`).join(', ')
  return `${into}\nselect o.id, $2::bigint + r.ordinal, ${values}\n  from ${text}\n cross join organizations o\n where o.id = $1`
}
