import type { JsonObject } from '../../../server/src/kernel/schema/index.ts'

/** A deal as the API shows it now, and the stages that it entered, in their order. */
export interface NaiveDeal {
  readonly record: JsonObject
  readonly entered: readonly { readonly stage: string; readonly at: number }[]
}

/** All that an organization has, each record as the API shows it. */
export interface NaiveWorld {
  readonly deals: readonly NaiveDeal[]
  readonly tasks: readonly JsonObject[]
  readonly contacts: readonly JsonObject[]
  readonly companies: readonly JsonObject[]
  readonly pipelines: readonly { readonly id: string; readonly stages: readonly NaiveStage[] }[]
}

export interface NaiveStage {
  readonly uuid: string
  readonly type: string
}

export interface NaivePeriod {
  readonly startDate: string
  readonly endDate: string
  readonly timeZone: string
  readonly now: number
}

/** The figures of a summary, each counted by looking at every record. */
export function naiveSummary(world: NaiveWorld, period: NaivePeriod) {
  const { pipelines } = world
  const stages = pipelines.flatMap(pipeline => pipeline.stages)
  const typeOf = (uuid: string) => stages.find(stage => stage.uuid === uuid)?.type
  const dayOf = (at: number) => dayIn(period.timeZone, at)
  const within = (time: unknown) => {
    if (typeof time !== 'string') return false
    const date = dayOf(Date.parse(time))
    return date >= period.startDate && date <= period.endDate
  }
  const isOver = (at: number) => dayOf(at) <= period.endDate
  const stageAtEnd = ({ entered }: NaiveDeal) => entered.findLast(({ at }) => isOver(at))?.stage
  const standing = world.deals.flatMap(deal => {
    const stage = stageAtEnd(deal)
    return stage === undefined || typeOf(stage) === undefined ? [] : [{ ...deal, stage }]
  })
  const open = standing.filter(({ stage }) => typeOf(stage) === 'open')
  const closed = standing.filter(({ record }) => within(record.closedAt)).map(({ record }) => record)
  const won = closed.filter(({ status }) => status === 'won')
  const lost = closed.filter(({ status }) => status === 'lost')
  const inPeriod = (records: readonly JsonObject[]) => records.filter(({ createdAt }) => within(createdAt)).length
  const owners = new Set(closed.map(({ ownerUuid }) => ownerUuid).filter(owner => owner !== null))
  return {
    deals: {
      created: inPeriod(standing.map(({ record }) => record)),
      won: won.length,
      lost: lost.length,
      open: open.length,
    },
    tasks: {
      created: inPeriod(world.tasks),
      done: world.tasks.filter(({ status, completedAt }) => status === 'done' && within(completedAt)).length,
      overdue: world.tasks.filter(task => isOverdueAtEnd(task, period)).length,
    },
    contacts: { created: inPeriod(world.contacts) },
    companies: { created: inPeriod(world.companies) },
    money: totals(
      open.map(({ record }) => record),
      won,
      lost,
    ),
    funnel: pipelines.map(({ id, stages: own }) => ({
      pipelineId: id,
      stages: own.map(({ uuid }, place) => {
        const here = standing.filter(({ stage }) => stage === uuid).map(({ record }) => record)
        const previous = own[place - 1]
        const stays = world.deals.flatMap(deal => staysIn(uuid, deal)).filter(({ end }) => within(toText(end)))
        const enteredHere = world.deals.filter(deal => hasEntered(uuid, deal, within)).length
        const enteredBefore =
          previous === undefined ? 0 : world.deals.filter(deal => hasEntered(previous.uuid, deal, within)).length
        return {
          stageUuid: uuid,
          deals: here.length,
          money: sums(here),
          conversionFromPrevious: ratio(enteredHere, enteredBefore),
          averageDaysInStage: average(stays.map(({ start, end }) => end - start)),
        }
      }),
    })),
    winRate: { won: won.length, lost: lost.length, rate: ratio(won.length, won.length + lost.length) },
    cycle: cycle(won.map(({ createdAt, closedAt }) => Date.parse(String(closedAt)) - Date.parse(String(createdAt)))),
    lostReasons: [...new Set(lost.map(({ lostReasonCategoryUuid }) => lostReasonCategoryUuid))].map(reason => {
      const deals = lost.filter(({ lostReasonCategoryUuid }) => lostReasonCategoryUuid === reason)
      return { lostReasonCategoryUuid: reason, deals: deals.length, money: sums(deals) }
    }),
    leaderboard: [...owners].map(owner => {
      const of = (deals: readonly JsonObject[]) => deals.filter(({ ownerUuid }) => ownerUuid === owner)
      const count = { won: of(won).length, lost: of(lost).length }
      return { ownerUuid: owner, ...count, rate: ratio(count.won, count.won + count.lost), money: sums(of(won)) }
    }),
  }
}

const clocks = new Map<string, Intl.DateTimeFormat>()

/** The date that a calendar on the wall of this time zone shows. */
function dayIn(timeZone: string, at: number): string {
  const form = { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' } as const
  const clock = clocks.get(timeZone) ?? new Intl.DateTimeFormat('en-CA', form)
  clocks.set(timeZone, clock)
  return clock.format(at)
}

function isOverdueAtEnd({ status, dueDate, completedAt, createdAt }: JsonObject, period: NaivePeriod): boolean {
  if (status === 'canceled' || typeof dueDate !== 'string') return false
  const lastDay = [period.endDate, dayIn(period.timeZone, period.now)].toSorted()[0] ?? ''
  const isOver = period.endDate < dayIn(period.timeZone, period.now)
  const afterEnd = (at: number) => (isOver ? dayIn(period.timeZone, at) > period.endDate : at >= period.now)
  if (isOver && afterEnd(Date.parse(String(createdAt)))) return false
  if (status === 'done' && !afterEnd(Date.parse(String(completedAt)))) return false
  // If a period is over, so is its last day.
  if (dueDate.length === 10) return isOver ? dueDate <= lastDay : dueDate < lastDay
  return !afterEnd(Date.parse(dueDate))
}

function hasEntered(stage: string, { entered }: NaiveDeal, within: (time: string) => boolean): boolean {
  return entered.some(each => each.stage === stage && within(toText(each.at)))
}

function staysIn(stage: string, { entered }: NaiveDeal): { start: number; end: number }[] {
  return entered.flatMap((each, index) => {
    const next = entered[index + 1]
    return each.stage === stage && next !== undefined ? [{ start: each.at, end: next.at }] : []
  })
}

const minorUnits = new Map([
  ['USD', 2],
  ['EUR', 2],
  ['JPY', 0],
])

/** The exact sum of the amounts in one currency, in its smallest unit, and how many there are. */
function total(deals: readonly JsonObject[], currency: string): { units: bigint; count: number } {
  const amounts = deals.filter(deal => deal.currency === currency && deal.amount !== null).map(({ amount }) => amount)
  const units = amounts.map(amount => BigInt(String(amount).replace('.', '')))
  return { units: units.reduce((sum, each) => sum + each, 0n), count: amounts.length }
}

function shown(units: bigint, currency: string): string {
  const digits = minorUnits.get(currency) ?? 0
  const text = units.toString().padStart(digits + 1, '0')
  return digits === 0 ? text : `${text.slice(0, -digits)}.${text.slice(-digits)}`
}

function currenciesOf(deals: readonly JsonObject[]): string[] {
  return [...minorUnits.keys()].filter(currency => total(deals, currency).count > 0).toSorted()
}

function sums(deals: readonly JsonObject[]) {
  return currenciesOf(deals).map(currency => ({ currency, amount: shown(total(deals, currency).units, currency) }))
}

function totals(open: readonly JsonObject[], won: readonly JsonObject[], lost: readonly JsonObject[]) {
  return currenciesOf([...open, ...won, ...lost]).map(currency => {
    const { units, count } = total(won, currency)
    const rounded = count === 0 ? null : (2n * units + BigInt(count)) / (2n * BigInt(count))
    return {
      currency,
      open: shown(total(open, currency).units, currency),
      won: shown(units, currency),
      lost: shown(total(lost, currency).units, currency),
      averageWon: rounded === null ? null : shown(rounded, currency),
    }
  })
}

/** A share with four digits, rounded half up. */
function ratio(part: number, whole: number): string | null {
  if (whole === 0) return null
  const units = (2n * BigInt(part) * 10_000n + BigInt(whole)) / (2n * BigInt(whole))
  const text = units.toString().padStart(5, '0')
  return `${text.slice(0, -4)}.${text.slice(-4)}`
}

const tenthOfDay = 8_640_000

function average(milliseconds: readonly number[]): number | null {
  if (milliseconds.length === 0) return null
  const sum = milliseconds.reduce((one, other) => one + other, 0)
  return Math.round(sum / milliseconds.length / tenthOfDay) / 10
}

function cycle(milliseconds: readonly number[]) {
  const tenths = milliseconds.map(each => Math.round(each / tenthOfDay)).toSorted((one, other) => one - other)
  const middle = (tenths.length - 1) / 2
  const [low = 0, high = 0] = [tenths[Math.floor(middle)], tenths[Math.ceil(middle)]]
  return { averageDays: average(milliseconds), medianDays: tenths.length === 0 ? null : (low + high) / 20 }
}

function toText(at: number): string {
  return new Date(at).toISOString()
}
