import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isObject, type JsonObject } from '../../server/src/kernel/schema/index.ts'
import { useApi } from './support/given.ts'
import { naiveSummary } from './support/naive-summary.ts'
import { type Happening, limited, type Named, SalesStory } from './support/sales-story.ts'

const given = useApi({ connections: 12 })

// Clocks go forward or back in the week behind each of these days, in Havana and Cairo at midnight, in Lord Howe by half
// an hour.
const places = [
  ['UTC', '2026-02-24'],
  ['Europe/Berlin', '2026-03-26'],
  ['Europe/Berlin', '2026-10-22'],
  ['America/New_York', '2026-03-05'],
  ['Africa/Cairo', '2026-04-22'],
  ['America/Havana', '2026-10-30'],
  ['Australia/Lord_Howe', '2026-04-03'],
  ['Pacific/Kiritimati', '2026-01-01'],
] as const

const filters = ['pipelineId', 'ownerId', 'contactId', 'companyId', 'tagId'] as const
const place = fc.nat(40)
const price = fc.option(
  fc.tuple(fc.nat(10_000_000), fc.constantFrom('USD', 'EUR', 'JPY')).map(([units, currency]) => ({
    amount: currency === 'JPY' ? String(units) : (units / 100).toFixed(2),
    currency,
  })),
)
const does = <Name extends string>(name: Name) => fc.constant(name)
const dayBy = (day: string, days: number) => new Date(Date.parse(day) + days * 86_400_000).toISOString().slice(0, 10)

function happeningFrom(day: string): fc.Arbitrary<Happening> {
  const due = fc.tuple(fc.integer({ min: -3, max: 8 }), fc.boolean()).map(([days, exact]) => {
    return exact ? `${dayBy(day, days)}T21:30:00.000Z` : dayBy(day, days)
  })
  const status = fc.constantFrom('done', 'canceled', 'todo')
  return fc.oneof(
    {
      weight: 5,
      arbitrary: fc.record({ does: does('deal'), stage: place, price, owner: place, party: place }),
    },
    { weight: 6, arbitrary: fc.record({ does: does('move'), deal: place, stage: place }) },
    { weight: 1, arbitrary: fc.record({ does: does('price'), deal: place, price }) },
    { weight: 2, arbitrary: fc.record({ does: does('task'), due, deal: place, owner: place }) },
    { weight: 2, arbitrary: fc.record({ does: does('status'), task: place, status }) },
    { weight: 1, arbitrary: fc.record({ does: does('person') }) },
  )
}

// Many waits are whole half hours, so that moments meet the borders of days.
const minutes = fc.oneof(
  fc.nat(30).map(halves => halves * 30),
  fc.nat(1500),
)
const question = fc.record({
  start: fc.integer({ min: -2, max: 12 }),
  days: fc.nat(9),
  by: fc.subarray([...filters], { maxLength: 2 }),
})
const storyIn = ([timeZone, day]: (typeof places)[number]) =>
  fc.record({
    timeZone: fc.constant(timeZone),
    day: fc.constant(day),
    steps: fc.array(fc.record({ minutes, happening: happeningFrom(day) }), { minLength: 10, maxLength: 30 }),
    questions: fc.array(question, { minLength: 4, maxLength: 8 }),
  })
const story = fc.constantFrom(...places).chain(storyIn)

test('a summary equals a count of every record, in any time zone and with any filter', async () => {
  await fc.assert(
    fc.asyncProperty(story, async ({ timeZone, day, steps, questions }) => {
      given.clock.set(`${day}T00:00:00.000Z`)
      const told = await SalesStory.begin(given, timeZone)
      for (const each of steps) {
        given.clock.advance(each.minutes * 60_000)
        await told.tell(each.happening)
      }
      const world = await told.world()
      for (const { start, days, by } of questions) {
        const named = Object.fromEntries(by.map(filter => [filter, told.named[filter]]))
        const period = { startDate: dayBy(day, start), endDate: dayBy(day, start + days), timeZone }
        const expected = naiveSummary(limited(world, named), { ...period, now: given.clock.now() })
        expect(await summaryOf(told, period, named)).toEqual(inOrder(expected))
      }
    }),
    { numRuns: 12, plugins: [fc.interruptAfterTimeLimit(60_000)] },
  )
}, 110_000)

async function summaryOf({ organization }: SalesStory, period: JsonObject, named: Partial<Named>): Promise<unknown> {
  const query = new URLSearchParams({ startDate: String(period.startDate), endDate: String(period.endDate), ...named })
  const { status, data } = await organization.client.get(`/analytics/summary?${query}`)
  expect([status, data.period]).toEqual([200, period])
  const { period: _, insights: __, ...figures } = data
  return inOrder(figures)
}

/** Without names and ranks, which have tests of their own; lists that they order are put into the order of ids. */
function inOrder({ leaderboard, lostReasons, funnel, ...rest }: Readonly<Record<string, unknown>>): unknown {
  const sorted = (list: unknown, id: string) =>
    without(list, ['name', 'rank']).toSorted((one, other) => (String(one[id]) < String(other[id]) ? -1 : 1))
  return {
    ...rest,
    leaderboard: sorted(leaderboard, 'ownerUuid'),
    lostReasons: sorted(lostReasons, 'lostReasonCategoryUuid'),
    funnel: without(funnel, []).map(({ stages, ...pipeline }) => ({
      ...pipeline,
      stages: without(stages, ['name', 'type']),
    })),
  }
}

function without(list: unknown, members: readonly string[]): JsonObject[] {
  const objects = Array.isArray(list) ? list.filter(isObject) : []
  return objects.map(each => Object.fromEntries(Object.entries(each).filter(([name]) => !members.includes(name))))
}
