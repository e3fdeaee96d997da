import { bounds, type Decision, type WriteContext } from '../../../kernel/index.ts'
import type { RowChange } from '../../../kernel/write/index.ts'
import type { ImportCounters, ImportRow } from '../import.ts'
import { importErrors, importOutcomes, importPrimaries, importTable } from '../imports.sql.ts'
import type { RowError } from '../rows/row-error.ts'
import type { RowOutcome } from '../rows/row-outcome.ts'
import type { RowPlan } from '../rows/row-plan.ts'

/** The decided rows of a chunk. */
interface DecidedChunk {
  readonly row: ImportRow
  readonly planned: readonly RowPlan[]
  /** The number of leading rows that were decided, which may be all. */
  readonly outcomes: readonly RowOutcome[]
  /** The owners whose primary link a row of the chunk has set. */
  readonly named: readonly string[]
  readonly rehearsed: readonly RowChange[]
}

/** The rows that record the outcome of a chunk; they are written together with its changes. */
export function decisionOf(
  { row, planned, outcomes, named, rehearsed }: DecidedChunk,
  write: WriteContext,
): Decision<ImportRow> {
  // Rows that were not decided become the first ones of the next chunk.
  const plans = planned.slice(0, outcomes.length)
  const errors = outcomes.flatMap(outcome => outcome.errors ?? [])
  const noted = plans.flatMap(({ line }, index) => errorRows(row.id, line, outcomes[index]))
  const [first] = plans
  const told = plans.map(({ line }, index) => rowLine(line, outcomes[index])).join('')
  const kept = first === undefined ? [] : [{ import_id: row.id, line: first.line, outcomes: told }]
  const marked = named.map(owner_id => ({ import_id: row.id, owner_id }))
  const changed = {
    status: 'running',
    position: plans.at(-1)?.line ?? row.position,
    counters: counted(row.counters, outcomes),
    created_companies: row.created_companies + outcomes.filter(outcome => outcome.createsCompany === true).length,
    errors: [...row.errors, ...errors].slice(-bounds.importErrors.most),
    started_at: row.started_at ?? write.now,
  } as const
  return {
    result: { ...row, ...changed },
    rows: [
      { table: importTable, operation: 'update', row: { id: row.id, ...changed } },
      ...noted.map(error => ({ table: importErrors, operation: 'insert', row: error }) as const),
      ...kept.map(outcome => ({ table: importOutcomes, operation: 'insert', row: outcome }) as const),
      ...marked.map(mark => ({ table: importPrimaries, operation: 'insert', row: mark }) as const),
      ...rehearsed,
    ],
  }
}

/** The line of a row in the file of rows. No value in it needs quotes. */
function rowLine(line: number, outcome: RowOutcome | undefined): string {
  const [one, other] = outcome?.cells ?? [null, null]
  return `${line},${one ?? ''},${other ?? ''},${outcome?.result ?? ''}\r\n`
}

function errorRows(importId: string, line: number, outcome: RowOutcome | undefined) {
  // The file of errors quotes no cells, so their values are not stored for it.
  const errors = outcome?.errors ?? []
  return errors.map(({ value: _, ...error }: RowError, number) => ({
    import_id: importId,
    line,
    number,
    error,
  }))
}

function counted(before: ImportCounters, outcomes: readonly RowOutcome[]): ImportCounters {
  const counters: Record<keyof ImportCounters, number> = { ...before }
  for (const { result } of outcomes) counters[result] += 1
  counters.pending = Math.max(0, counters.pending - outcomes.length)
  return counters
}
