import type { RowChange, Table } from '../record/index.ts'
import type { Distribution, Transaction } from '../sql/index.ts'
import {
  columnsAlike,
  type Form,
  type Fragment,
  fileBytesMoved,
  fragmentParameters,
  fragmentText,
  groupRows,
  isCounted,
  largeForm,
  numberedChanges,
  type SaveStatements,
  saveStatements,
  source,
} from './fragments.ts'
import type { Save, SaveStatement, ToSave } from './save.ts'
import { saveInOrder } from './save-in-order.ts'
import { changesTable } from './tables.ts'

/** Makes the statements that write everything that was decided: one, or in a cluster one for each fragment; none if there are no rows. */
export function* saveInSteps(
  toSave: ToSave,
  distribution: Distribution | null,
  statements = saveStatements,
): Generator<unknown, Save> {
  if (toSave.rows.length === 0) return { statements: [], publish: null }
  if (distribution !== null) return yield* saveInOrder(toSave, distribution)
  return { statements: [yield* saveAtOnce(toSave, statements)], publish: null }
}

/** Sends a save followed by the commit, after the statements that were queued `beside` it. */
export async function saveAndCommit(
  transaction: Transaction,
  { statements, publish }: Save,
  beside: readonly Promise<unknown>[] = [],
): Promise<void> {
  const send = ({ statement, values }: SaveStatement) => transaction.query(statement, values)
  const sent = statements.map(send)
  if (publish === null) return transaction.commit(Promise.all([...beside, ...sent]))
  const [answers] = await Promise.all([Promise.all(sent), ...beside])
  const [feed] = answers.at(-1) ?? []
  return transaction.commit(Promise.all(publish(feed).map(send)))
}

/**
 * Makes the one statement that writes everything that was decided. It has one fragment for each table and kind of change, whatever the
 * number of rows, and writes the change events last, under the lock of the organization's feed. It is made in short steps. The caller
 * sends it and queues the commit after it. If files are added or removed, the row of the feed also gets the new total of their bytes.
 *
 * If the statement affects another number of rows than decided, it fails with a serialization failure. It also fails if there are change
 * events and the configuration behind the decision is too old by now, because what that refers to may have been removed.
 */
function* saveAtOnce(
  { organizationId, rows, events, configurationVersion }: ToSave,
  statements: SaveStatements,
): Generator<unknown, SaveStatement> {
  const grouped = groupRows(rows)
  const isSingle = events.length <= 1 && grouped.length === rows.length
  const form: Form = isSingle ? 'values' : 'rowset'
  const alikeIn = (table: Table, columns: readonly string[], written: readonly RowChange['row'][]) =>
    isSingle ? [] : columnsAlike(table, columns, written)
  // Rows to update or delete are found by their whole keys. If a plan had a part of a key once, it could walk all rows with that part.
  const fragments = grouped.map(fragment => {
    const { table, operation, columns, rows: written } = fragment
    return operation === 'insert' ? { ...fragment, alike: alikeIn(table, columns, written) } : fragment
  })
  const publishedAlike = alikeIn(numberedChanges, numberedChanges.columnNames, events)
  // The count of a single row of each part is the product of the parts.
  const counted = isSingle ? 1 : fragments.filter(isCounted).reduce((sum, fragment) => sum + fragment.rows.length, 0)
  const values: unknown[] = [organizationId, counted]
  const bytes = fileBytesMoved(rows)
  if (bytes !== null) values.push(bytes)
  const isPublished = events.length > 0
  let signature = `${form} ${isPublished} ${publishedAlike.length}`
  for (const fragment of fragments) {
    const { table, columns, rows: written, alike } = fragment
    values.push(...(yield* fragmentParameters(table, columns, written, form, alike)))
    signature += `; ${fragment.signature} ${largeForm(table, written)} ${alike.length}`
  }
  if (isPublished) {
    const numbered = events.map((event, ordinal) => ({ ordinal, ...event }))
    const { columnNames } = numberedChanges
    values.push(events.length, configurationVersion)
    values.push(...(yield* fragmentParameters(numberedChanges, columnNames, numbered, form, publishedAlike)))
  }
  const change = { publishes: isPublished, movesFiles: bytes !== null, alike: publishedAlike }
  const text = () => saveText(fragments, change, form)
  return { statement: statements.of(signature, text), values }
}

/** What a save does to the row of the feed. */
interface FeedChange {
  readonly publishes: boolean
  /** Whether the total size of files changes; $3 is then the difference. */
  readonly movesFiles: boolean
  /** The columns of the change events whose values are sent once. */
  readonly alike: readonly string[]
}

// PostgreSQL does not run the fragments in the order of the text. The feed comes last because it needs the row counts of all others; so
// its lock is held only for the commit.
function saveText(fragments: readonly Fragment[], { publishes, movesFiles, alike }: FeedChange, form: Form): string {
  let parameter = movesFiles ? 4 : 3
  const parts = fragments.map((fragment, index) => {
    const { text, size } = fragmentText(fragment, parameter, form)
    parameter += size
    return `part_${index} as (\n${text}\n  returning 1)`
  })
  const namesOf = (isChosen: (fragment: Fragment) => boolean) =>
    fragments.flatMap((fragment, index) => (isChosen(fragment) ? [`part_${index}`] : []))
  const names = namesOf(isCounted)
  // If every part has one row, a single count of their product replaces a count for each part.
  const counted = form === 'values' ? [names.join(', ')] : names
  const uncounted = namesOf(fragment => !isCounted(fragment)).map(name => `0 * (select count(*) from ${name})`)
  const counts = [...counted.map(name => `(select count(*) from ${name})`), ...uncounted].join(' + ')
  const touched = `touched as (select expect_rows(${counts}, $2::bigint) as ok)`
  const moved = movesFiles ? ['file_bytes = f.file_bytes + $3::bigint'] : []
  if (!publishes && !movesFiles) return `with ${[...parts, touched].join(',\n')}\nselect ok from touched`
  if (!publishes) {
    const feed = `feed as (
  update organization_feed f set ${moved.join('')} from touched where f.organization_id = $1 and touched.ok
  returning 1)`
    return `with ${[...parts, touched, feed].join(',\n')}\nselect expect_rows((select count(*) from feed), 1)`
  }
  const count = `$${parameter}::bigint`
  const columns = changesTable.columnNames
  const feed = `feed as (
  update organization_feed f set ${[`seq = f.seq + ${count}`, `last_changes_seq = f.last_changes_seq + ${count}`, ...moved].join(', ')} from touched
   where f.organization_id = $1 and touched.ok and f.oldest_configuration <= $${parameter + 1}::bigint
  returning f.seq)`
  const published = `published as (
  insert into changes (organization_id, seq, ${columns.join(', ')})
  select $1, feed.seq - ${count} + 1 + r.ordinal, ${columns.map(column => `r.${column}`).join(', ')}
    from feed, ${source(numberedChanges, numberedChanges.columnNames, parameter + 2, form, alike).text}
  returning 1)`
  const all = [...parts, touched, feed, published].join(',\n')
  return `with ${all}\nselect expect_rows((select count(*) from published), ${count})`
}
