import type { SourceRow } from '../../../kernel/documents/index.ts'
import { type Kinds, Lookup, type Mutation } from '../../../kernel/index.ts'
import { type Configuration, lockNumber, searchForm } from '../../../kernel/schema/index.ts'
import { DecideAgain } from '../../../kernel/sql/index.ts'
import type { WorkingSet } from '../../../kernel/write/index.ts'
import { company } from '../../companies/index.ts'
import { unsurveyed } from '../cells/column-reading.ts'
import type { CountryNames } from '../cells/country-code.ts'
import { companyContacts, linksOf, resourceOf } from '../fields/entity-types.ts'
import { fieldsOf } from '../fields/import-fields.ts'
import { type ImportRow, importRecord, isImportRow } from '../import.ts'
import { holdSource, loadImport, lockImports, selectPrimaries } from '../imports.sql.ts'
import { linkRowRules } from '../rows/decide-link-row.ts'
import { recordRowRules } from '../rows/decide-row.ts'
import { keyFieldsOf } from '../rows/key-fields.ts'
import type { MatchValue } from '../rows/match-values.ts'
import { planRow } from '../rows/plan-row.ts'
import type { RowRules } from '../rows/row-outcome.ts'
import { type MappedField, type RowPlan, textValue } from '../rows/row-plan.ts'
import { startOptions } from '../start-options.ts'
import { decisionOf } from './chunk-decision.ts'
import { matchWord, Rehearsal } from './rehearsal.ts'
import { rowsAtOnce } from './rows-of-few-owners.ts'

/** Some rows of an import, and the state of the organization when they were read. */
export interface Chunk {
  readonly row: ImportRow
  readonly rows: readonly SourceRow[]
  readonly organizationId: string
  readonly kinds: Kinds
  readonly tags: ReadonlyMap<string, string>
  readonly operators: ReadonlyMap<string, string>
  readonly countries: CountryNames
}

/** The rows of a chunk, planned with one version of the configuration. */
interface Planned {
  readonly rules: RowRules
  readonly plans: readonly RowPlan[]
  readonly rehearsal: Rehearsal | null
  /** Owners whose primary link a row has set, in this chunk or before it. */
  readonly primaries: Set<string>
}

/**
 * Applies a chunk of rows, and records the outcome of each in the same transaction. A dry run decides in the same way on its rehearsed
 * records, and neither locks nor writes records. If the import has advanced, ended or lost its file meanwhile, nothing is done and the
 * result is null; otherwise it is the new state of the import.
 */
export function chunkMutation(chunk: Chunk): Mutation<ImportRow | null, never> {
  const { row, organizationId, kinds } = chunk
  const turn = Lookup.row(lockImports, [lockNumber('imports', organizationId)])
  const present = Lookup.row(loadImport, [row.id])
  let planned: Planned | null = null
  let attempt: WorkingSet | null = null
  const planFor = (work: WorkingSet, configuration: Configuration) => {
    if (planned === null || attempt !== work) planned = plan(chunk, configuration)
    attempt = work
    return planned
  }
  return {
    ...(row.dry_run ? { looksOnly: true as const } : {}),
    needs(needs, work, configuration) {
      const { rules, plans, rehearsal } = planFor(work, configuration)
      needs.toLoad(turn, present)
      rules.needs(needs, work, configuration)
      if (rehearsal !== null) {
        // Records that the dry run would have made are found like existing ones.
        rehearsal.needs(needs, work, plans.flatMap(wordsFor(row)))
        rules.needs(needs, rehearsal.stage(work), configuration)
      }
      if (isImportRow(work.read(present))) needs.toLoad(...primariesIn(chunk, work))
    },
    *decide(work, write) {
      const { rules, plans, rehearsal, primaries } = planFor(work, write.configuration)
      const current = work.read(present)
      if (!isImportRow(current) || current.position !== row.position) return stale
      if (current.status !== 'queued' && current.status !== 'running') return stale
      const { file_id: fileId } = current
      if (fileId === null) return stale
      const earlier = primariesIn(chunk, work).flatMap(lookup => work.read(lookup))
      for (const id of earlier) primaries.add(id)
      const stage = rehearsal === null ? work : rehearsal.stage(work)
      const outcomes = yield* rules.decideInSteps(stage, write, rowsAtOnce(stage, companyContacts(kinds).links.kind))
      const named = [...primaries].filter(id => !earlier.includes(id))
      const rehearsed = rehearsal === null ? [] : rehearsal.rows(work, stage)
      return {
        ...decisionOf({ row: current, planned: plans, outcomes, named, rehearsed }, write),
        // The lock comes after those of the records, because an erasure holds the lock of the person while it waits for the import. While
        // this transaction waited for a record, an erasure may have removed a person whom these rows mention.
        async sweep(transaction) {
          const [locked] = await transaction.query(importRecord.lock, [organizationId, row.id])
          if (!isImportRow(locked) || locked.status !== current.status || locked.position !== row.position)
            throw new DecideAgain('the import has gone on')
          const [source] = await transaction.query(holdSource, [organizationId, fileId])
          if (source === undefined) throw new DecideAgain('the file of the import was dropped')
          return {}
        },
      }
    },
  }
}

const stale = { result: null }

function plan({ row, rows, kinds, tags, operators, countries }: Chunk, configuration: Configuration): Planned {
  const { country, timeZone } = configuration.organization
  const { dedup_policy: policy, entity_type: type } = row
  if (policy === null) throw new Error('an import runs without a policy')
  const mapped = mappedFields(row, configuration, kinds, tags)
  const options = startOptions(row.options)
  const keys = keyFieldsOf(
    type,
    mapped.map(({ field }) => field),
    policy.matchBy,
  )
  const context = { mapped, matchBy: policy.matchBy, options, keys, country, timeZone, operators, countries }
  const plans = rows.map(source => planRow(source, context))
  const primaries = new Set<string>()
  const resource = resourceOf(type)
  const links = linksOf(type, kinds)
  const common = { plans, policy, kinds, country, applicationId: row.application_id }
  const rules =
    resource === null
      ? links && linkRowRules({ ...common, rows: links, primaries })
      : recordRowRules({ ...common, resource, options })
  if (rules === null) throw new Error(`rows of ${type} have no rules`)
  return { rules, plans, primaries, rehearsal: row.dry_run ? new Rehearsal(row.id, kinds, country) : null }
}

function mappedFields(
  row: ImportRow,
  configuration: Configuration,
  kinds: Kinds,
  tags: ReadonlyMap<string, string>,
): MappedField[] {
  const { columns, defaults } = row
  return fieldsOf(row.entity_type, { configuration, tags, kinds }).flatMap((field): MappedField[] => {
    const column = columns?.[field.key]
    const instead = defaults?.[field.key] ?? null
    if (column === undefined && instead === null) return []
    const { index = null, name = null, reading = unsurveyed } = column ?? {}
    return [{ field, column: index, columnName: name, reading, default: instead }]
  })
}

/**
 * The lookups of a row in a dry run, for its record and for the company that it may create: a row with a key does not look for records with
 * other keys.
 */
function wordsFor({ entity_type: type, options }: ImportRow): (plan: RowPlan) => readonly string[] {
  const kind = resourceOf(type)?.kind ?? ''
  const createsCompanies = options?.missingCompany === 'create'
  return plan => {
    const own = wordsOf(kind, plan.matches, textValue(plan, 'externalId'))
    const name = createsCompanies ? textValue(plan, 'companyName') : null
    if (name === null) return own
    const named = { by: 'name', text: searchForm(name) } as const
    return [...own, ...wordsOf(company.kind, [named], textValue(plan, 'companyExternalId'))]
  }
}

function wordsOf(kind: string, values: readonly Pick<MatchValue, 'by' | 'text'>[], key: string | null): string[] {
  const withoutKey = values.map(value => matchWord(kind, value, false))
  return key === null
    ? [...withoutKey, ...values.map(value => matchWord(kind, value, true))]
    : [...withoutKey, matchWord(kind, { by: 'externalId', text: key }, true)]
}

/** The owners whose primary link earlier rows have set, limited to the loaded owners: these are the ones that rows name. */
function primariesIn({ row, kinds }: Chunk, work: WorkingSet): readonly Lookup<readonly string[]>[] {
  const owner = linksOf(row.entity_type, kinds)?.links.owner
  if (owner === undefined) return []
  const ids = [...work.siblings(owner.kind)].map(({ id }) => id)
  return [new Lookup(selectPrimaries, [row.id, ids], rows => rows.map(({ id }) => String(id)))]
}
