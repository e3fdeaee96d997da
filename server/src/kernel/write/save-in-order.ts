import type { Distribution } from '../sql/index.ts'
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
import type { Save, ToSave } from './save.ts'
import { saveStatements } from './save-statements.ts'
import { changes } from './tables.ts'

/**
 * Makes a statement for each fragment, for a cluster: as parts of one statement, the fragments would have their results
 * copied to every node, and would be committed in two phases. Each statement is about the rows of one organization, which
 * are on one node, and checks its own count.
 *
 * The statements run one after another, and foreign keys are checked after each. So their order is part of the promise:
 * what others refer to is written first and removed last, the feed's row comes next to last, and the change events, which
 * take their numbers from it, come last.
 */
export function* saveInOrder(
  { organizationId, rows, events, configurationVersion }: ToSave,
  distribution: Distribution,
): Generator<unknown, readonly Save[]> {
  const saves: Save[] = []
  for (const fragment of inOrder(groupRows(rows), distribution))
    saves.push(yield* saveFragment(organizationId, fragment))
  if (events.length === 0) return saves
  saves.push({
    statement: saveStatements.of('feed', feedText),
    values: [organizationId, 1, events.length, configurationVersion],
  })
  const form = formOf(events)
  const numbered = events.map((event, ordinal) => ({ ordinal, ...event }))
  const parameters = yield* parametersOf(numberedChanges, numberedChanges.columnNames, numbered, form)
  saves.push({
    statement: saveStatements.of(`changes ${form}`, () => changesText(form)),
    values: [organizationId, events.length, ...parameters],
  })
  return saves
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

function* saveFragment(organizationId: string, fragment: Fragment): Generator<unknown, Save> {
  const { table, operation, columns, rows, signature } = fragment
  const form = formOf(rows)
  const parameters = yield* parametersOf(table, columns, rows, form)
  const key = `one ${signature} ${largeForm(table, rows)} ${form}`
  // Where a row is an organization itself, its id is among its values.
  if (operation === 'insert') {
    const first = table.isTenant ? [] : [organizationId]
    const statement = saveStatements.of(key, () => insertText(fragment, first.length + 1, form))
    return { statement, values: [...first, ...parameters] }
  }
  const statement = saveStatements.of(key, () => countedText(fragmentText(fragment, 3, form).text))
  return { statement, values: [organizationId, rows.length, ...parameters] }
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

const feedText = () =>
  countedText(`  update organization_feed f set seq = f.seq + $3::bigint
   where f.organization_id = $1 and f.oldest_configuration <= $4::bigint`)

function changesText(form: Form): string {
  const columns = changes.columnNames
  const { text } = source(numberedChanges, numberedChanges.columnNames, 3, form)
  return `insert into changes (organization_id, seq, ${columns.join(', ')})
select f.organization_id, f.seq - $2::bigint + 1 + r.ordinal, ${columns.map(column => `r.${column}`).join(', ')}
  from organization_feed f
 cross join ${text}
 where f.organization_id = $1`
}
