import {
  askedSelection,
  type Caller,
  cabinetPath,
  defineOperation,
  filterParameters,
  type ListSelection,
  limitParameter,
  malformed,
  mayRead,
  type Operation,
  projectRecords,
  Refusal,
  type Request,
  type Resource,
  readRecordTitles,
  readScopes,
  type Services,
  selectionScopes,
  selectionStatement,
  uuidParameter,
} from '../../kernel/index.ts'
import { bounds } from '../../kernel/limits/index.ts'
import { isObject, type JsonObject, type Pipeline, shownAmount } from '../../kernel/schema/index.ts'
import { binding, type Row, type TimeBudget } from '../../kernel/sql/index.ts'
import { boardStageText } from './board.sql.ts'
import { boardBounds } from './board-bounds.ts'
import { boardSchema } from './board-schema.ts'

/** How many cards a stage has unless the request says otherwise. */
const usualCards = 50

/**
 * `GET …/boards/deals`: the stages of a pipeline, each with its first deals, how many there are, and what they amount to by currency. The
 * filters of the list choose the deals, and `stageUuid` the stages. Each stage is one statement that looks at
 * `boardBounds.boardStageScan` deals at most. Refuses what the list refuses, and a pipeline that does not exist (400).
 */
export function dealBoard(deal: Resource, company: Resource): Operation {
  return defineOperation({
    id: 'boards.deals',
    method: 'GET',
    path: cabinetPath('/boards/deals'),
    summary: 'Read the board of deals',
    description:
      'Takes the filters of the list; stageUuid chooses stages. Cards are in the order of their stage. Of each stage, the first ' +
      `${boardBounds.boardStageScan.most} deals are looked at: if there are more, isExact is false.`,
    scopes: readScopes(deal),
    scopesOf: query => selectionScopes(deal, query),
    query: {
      ...filterParameters(deal),
      pipelineId: uuidParameter('The pipeline; the default one unless given'),
      cards: limitParameter(boardBounds.boardStageCards.most, usualCards),
    },
    answer: { data: boardSchema },
    project: (data, caller) => projectBoard(deal, data, caller),
    async execute(request, services) {
      const { pipelineId, stageUuid, cards = usualCards, ...filters } = request.query
      const { pipelines } = await services.configurations.recent(request.reader)
      const pipeline = pipelines.find(({ id, isDefault }) => (pipelineId === undefined ? isDefault : id === pipelineId))
      if (pipeline === undefined) return malformed([noPipeline])
      const selection = await askedSelection(deal, { ...request, query: filters }, services)
      if (selection instanceof Refusal) return selection
      const stages = stagesOf(pipeline, stageUuid)
      const most = Math.min(Number(cards), Math.floor(boardBounds.boardCards.most / Math.max(1, stages.length)))
      const read = await readStages({ deal, selection, stages, cards: most }, request, services)
      const names = await companyNames(company, read.flat(), request, services)
      const data = {
        pipelineId: pipeline.id,
        stages: stages.map((uuid, index) => toStage(uuid, read[index] ?? [], names, request.caller)),
      }
      return { status: 200, data, meta: {} }
    },
  })
}

const noPipeline = {
  path: 'query:pipelineId',
  rule: 'pipeline',
  message: 'No such pipeline: see directories.pipelines',
}

/** The stages that the board shows, in their order. */
function stagesOf({ stages }: Pipeline, asked: unknown): string[] {
  const named = asked === undefined ? null : [asked].flat()
  const shown = stages.filter(({ archived, uuid }) => !archived && (named === null || named.includes(uuid)))
  return shown.slice(0, boardBounds.boardStages.most).map(({ uuid }) => uuid)
}

interface AskedBoard {
  readonly deal: Resource
  readonly selection: ListSelection
  readonly stages: readonly string[]
  readonly cards: number
}

/** The rows of each stage. All statements together have the time of one search. */
async function readStages(
  { deal, selection, stages, cards }: AskedBoard,
  { caller, reader }: Request,
  { database }: Services,
): Promise<Row[][]> {
  const budget: TimeBudget = { milliseconds: bounds.searchAnswer.most }
  const looks = boardBounds.boardStageScan.most
  const currency = caller.organization.defaultCurrency
  const read: Row[][] = []
  for (const stageUuid of stages) {
    const values: unknown[] = [caller.organization.id, caller.keysOf]
    const text = boardStageText(deal, selection, { stageUuid, looks, cards, currency }, binding(values))
    read.push(await database.search(selectionStatement(deal, 'board', text), values, reader, undefined, budget))
  }
  return read
}

/** The names of the companies that the cards show, if the caller may read them. */
async function companyNames(
  company: Resource,
  rows: readonly Row[],
  request: Request,
  services: Services,
): Promise<ReadonlyMap<string, string>> {
  const ids = new Set(rows.flatMap(({ companyId }) => (typeof companyId === 'string' ? [companyId] : [])))
  const mayName = request.caller.scopes.has(company.scopes.read)
  return mayName && ids.size > 0 ? readRecordTitles(company, [...ids], request, services) : new Map()
}

function toStage(
  uuid: string,
  rows: readonly Row[],
  names: ReadonlyMap<string, string>,
  { organization }: Caller,
): JsonObject {
  const [first] = rows
  const sums: readonly unknown[] = Array.isArray(first?.sums) ? first.sums : []
  return {
    stageUuid: uuid,
    count: Number(first?.count),
    isExact: first?.isExact === true,
    sums: sums.filter(isObject).map(({ currency, amount }) => ({
      currency,
      amount: shownAmount(String(amount), { currency }, organization),
    })),
    cards: rows.flatMap(row => {
      const { count: _count, isExact: _isExact, sums: _sums, companyId, ...card } = row
      if (typeof row.id !== 'string') return []
      const name = names.get(String(companyId))
      return {
        ...card,
        version: Number(row.version),
        place: Number(row.place),
        amount: shownAmount(typeof row.amount === 'string' ? row.amount : null, row, organization),
        company: name === undefined ? null : { id: companyId, name },
      }
    }),
  }
}

/** The board as the caller may see it: without amounts and sums for who may not read them. */
function projectBoard(deal: Resource, data: unknown, caller: Caller): { data: unknown; redacted: readonly string[] } {
  const board: JsonObject = isObject(data) ? data : {}
  const stages: readonly unknown[] = Array.isArray(board.stages) ? board.stages : []
  const maySum = mayRead('amounts', caller.scopes)
  const shown = stages.filter(isObject).map(({ sums, cards, ...stage }) => ({
    ...stage,
    ...(maySum ? { sums } : {}),
    cards: projectRecords(deal, cards, caller).data,
  }))
  return { data: { ...board, stages: shown }, redacted: projectRecords(deal, [], caller).redacted }
}
