import { cabinetPath } from '../../conventions.ts'
import { Refusal } from '../../errors/index.ts'
import { booleanParameter } from '../../input/index.ts'
import { bounds } from '../../limits/index.ts'
import { defineOperation, type Operation } from '../../operation.ts'
import type { Resource } from '../../record/index.ts'
import { booleanSchema, countSchema, type JsonSchema, objectSchema } from '../../schema/index.ts'
import { readScopes } from '../ability.ts'
import { selectionScopes } from '../list-parameters.ts'
import type { ListPosition } from '../selection-statements.ts'
import { countAllText, countPortionText } from './count-statements.ts'
import { type CountedSelection, countedSelection, filterParameters } from './counted-selection.ts'

/** How many records a filter chooses, as far as they were counted. */
interface Counted {
  readonly count: number
  readonly isExact: boolean
  /** Why counting has ended before the last record; null if it has not. */
  readonly capped: 'rows' | 'time' | null
}

/**
 * `GET …/counts/<kind>`: how many records the filters of its list choose. Counting ends at `bounds.countedRecords` records or after
 * `bounds.countTime` of the database; with `exact=true` it goes on to the end, until the client leaves.
 */
export function count(resource: Resource): Operation {
  return defineOperation({
    id: `counts.${resource.plural}`,
    method: 'GET',
    path: cabinetPath(`/counts/${resource.plural}`),
    summary: `Count ${resource.plural}`,
    description:
      `Takes the filters of the list. Counting ends at ${bounds.countedRecords.most} records or after ${bounds.countTime.most} ms: then the ` +
      'count is the least that there are, and `capped` says why. With exact=true all are counted.',
    scopes: readScopes(resource),
    scopesOf: query => selectionScopes(resource, query),
    query: { ...filterParameters(resource), exact: booleanParameter('Whether to count to the end') },
    answer: { data: countedSchema },
    async execute(request, services) {
      const selected = await countedSelection(resource, request, services)
      if (selected instanceof Refusal) return selected
      const data = request.query.exact === true ? await countAll(selected) : await countCapped(selected)
      return { status: 200, data, meta: {} }
    },
  })
}

/** Counts all records. The statement is cancelled when the client leaves. */
async function countAll({ resource, selection, few, ask }: CountedSelection): Promise<Counted> {
  const [row] = await ask(
    'tally',
    bind => countAllText(resource, selection, few, bind),
    few === null ? 'exact' : undefined,
  )
  return { count: Number(row?.found), isExact: true, capped: null }
}

/** Counts the newest records first, in portions, until one of the bounds is reached. */
async function countCapped(selected: CountedSelection): Promise<Counted> {
  if (selected.few !== null) return countAll(selected)
  const { resource, selection, ask, spent } = selected
  const most = bounds.countedRecords.most
  const looks = selection.conditions.length === 0 ? most + 1 : bounds.countPortion.most
  let after: ListPosition | null = null
  for (let found = 0, before = spent(); ; ) {
    const position = after
    const [row] = await ask('portion', bind => countPortionText(resource, selection, { after: position, looks, bind }))
    found += Number(row?.found)
    if (found > most) return { count: most, isExact: false, capped: 'rows' }
    if (typeof row?.id !== 'string') return { count: found, isExact: true, capped: null }
    after = { value: String(row.orderedBy), id: row.id }
    // The next portion may take as long as this one.
    const now = spent()
    if (now + (now - before) > bounds.countTime.most) return { count: found, isExact: false, capped: 'time' }
    before = now
  }
}

const countedSchema: JsonSchema = objectSchema('RecordCount', {
  count: countSchema('How many records were counted.'),
  isExact: booleanSchema('Whether these are all.', true),
  capped: {
    type: ['string', 'null'],
    enum: ['rows', 'time', null],
    description:
      'Why counting has ended before: there are more records than are counted, or it took too long; null: it has not.',
    example: null,
  },
})
