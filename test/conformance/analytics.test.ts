import { describe, expect, it } from 'vitest'
import { isObject, type JsonObject, newId } from '../../server/src/kernel/schema/index.ts'
import { objectOf } from '../support/client.ts'
import type { TestOrganization } from '../support/organization.ts'
import { aDealIn, anotherPipeline, mover } from './support/deals.ts'
import { allBut, useApi } from './support/given.ts'
import { aRecord, issuePaths, outcome } from './support/requests.ts'

const given = useApi({ connections: 12 })

const summary = async ({ client }: Pick<TestOrganization, 'client'>, query = '') =>
  client.get(`/analytics/summary${query}`)

/** An organization at noon of 2 March 2026, in UTC. */
async function anOrganizationAtNoon() {
  given.clock.set('2026-03-02T12:00:00.000Z')
  return given.organization()
}

/** Another active operator. */
async function anOperator({ id }: TestOrganization, name: string): Promise<string> {
  const operator = newId()
  const text = `insert into operators (organization_id, id, name, email, active, created_at)
    values ($1, $2, $3, $3 || '@example.com', true, now())`
  await given.sql(text, [id, operator, name])
  await given.sql('update organizations set directory_version = directory_version + 1 where id = $1', [id])
  return operator
}

const listOf = (value: unknown): readonly JsonObject[] => (Array.isArray(value) ? value.filter(isObject) : [])
const kindsOf = ({ insights }: JsonObject) => listOf(insights).map(({ kind }) => kind)

describe('the period', () => {
  it.each([
    ['', '2026-02-01', '2026-03-02'],
    ['?startDate=2026-03-01', '2026-03-01', '2026-03-02'],
    ['?endDate=2026-01-31', '2026-01-02', '2026-01-31'],
    ['?startDate=2025-03-02', '2025-03-02', '2026-03-02'],
    ['?startDate=9999-12-31&endDate=9999-12-31', '9999-12-31', '9999-12-31'],
    ['?startDate=0001-01-01&endDate=0001-01-02', '0001-01-01', '0001-01-02'],
  ])('of %s is from %s to %s', async (query, startDate, endDate) => {
    const { data, meta } = await summary(await anOrganizationAtNoon(), query)
    expect(data.period).toEqual({ startDate, endDate, timeZone: 'UTC' })
    expect(meta).toEqual({ redacted: [], generatedAt: '2026-03-02T12:00:00.000Z' })
  })

  it('ends on the day that it is in the time zone of the organization', async () => {
    const organization = await anOrganizationAtNoon()
    const text = 'update organizations set time_zone = $2 where id = $1'
    await given.configure(organization, text, [organization.id, 'Pacific/Kiritimati'])
    const { data } = await summary(organization)
    expect(data.period).toMatchObject({ endDate: '2026-03-03', timeZone: 'Pacific/Kiritimati' })
  })

  it.each([
    ['startDate=2026-03-02&endDate=2026-03-01', 'query:startDate'],
    ['startDate=2026-03-03', 'query:startDate'],
    ['startDate=2025-03-01', 'query:startDate'],
    ['startDate=2026-02-30', 'query:startDate'],
    ['endDate=2026-3-1', 'query:endDate'],
    ['endDate=2026-03-01T00:00:00Z', 'query:endDate'],
    ['ownerId=me', 'query:ownerId'],
    ['stageId=1', 'query:stageId'],
  ])('is refused in %s: 400', async (query, path) => {
    const answer = await summary(await anOrganizationAtNoon(), `?${query}`)
    expect([outcome(answer), issuePaths(answer)]).toEqual(['400 validation_error', [path]])
  })
})

describe('a filter', () => {
  it.each(['pipelineId', 'ownerId', 'contactId', 'companyId', 'tagId'])(
    '%s that matches nothing gives an empty summary',
    async filter => {
      const organization = await anOrganizationAtNoon()
      await aDealIn('won', organization, { ownerUuid: organization.operator })
      await aRecord('task', organization)
      const { status, data } = await summary(organization, `?${filter}=${newId()}`)
      expect([status, data.deals, data.tasks, data.contacts, data.companies]).toEqual([
        200,
        { created: 0, won: 0, lost: 0, open: 0 },
        { created: 0, done: 0, overdue: 0 },
        { created: 0 },
        { created: 0 },
      ])
    },
  )

  it('is an id in letters of either case', async () => {
    const organization = await anOrganizationAtNoon()
    await aDealIn('won', organization)
    const { data } = await summary(organization, `?pipelineId=${organization.pipelineId.toUpperCase()}`)
    expect(data.deals).toMatchObject({ won: 1 })
  })

  it('by a pipeline counts a deal where it stood at the end of the period', async () => {
    const organization = await anOrganizationAtNoon()
    const other = await anotherPipeline(given, organization)
    const { id } = await aDealIn('first', organization)
    given.clock.set('2026-03-04T12:00:00.000Z')
    await mover(organization)(id, 1, { stageUuid: other.open })
    const openIn = async (pipeline: string, endDate: string) => {
      const { data } = await summary(organization, `?pipelineId=${pipeline}&endDate=${endDate}`)
      return objectOf(data.deals).open
    }
    expect(await openIn(organization.pipelineId, '2026-03-03')).toBe(1)
    expect(await openIn(organization.pipelineId, '2026-03-04')).toBe(0)
    expect(await openIn(other.pipelineId, '2026-03-03')).toBe(0)
    expect(await openIn(other.pipelineId, '2026-03-04')).toBe(1)
  })

  it('by a pipeline leaves the stays in its stages as they are, of deals that have left it too', async () => {
    const organization = await anOrganizationAtNoon()
    const { client, operator, pipelineId, stages } = organization
    const other = await anotherPipeline(given, organization)
    const owned = { ownerUuid: operator }
    for (const there of [stages.second, other.open, null]) {
      const { id } = await aDealIn('first', organization, owned)
      given.clock.advance(86_400_000)
      if (there !== null) await mover(organization)(id, 1, { stageUuid: stages.second })
      if (there === other.open) await mover(organization)(id, 2, { stageUuid: other.open })
    }
    const funnelOf = async (query: string) => {
      const { data } = await client.get(`/analytics/summary?${query}`)
      const sales = listOf(data.funnel).find(each => each.pipelineId === pipelineId)
      return listOf(sales?.stages).map(each => [each.deals, each.conversionFromPrevious, each.averageDaysInStage])
    }
    const whole = await funnelOf('')
    expect(whole.slice(0, 2)).toEqual([
      [1, null, 1],
      [1, '0.6667', 0],
    ])
    for (const query of [`pipelineId=${pipelineId}`, `pipelineId=${pipelineId}&ownerId=${operator}`])
      expect(await funnelOf(query)).toEqual(whole)
  })
})

describe('an organization', () => {
  it('without records has its stages, and nothing in them', async () => {
    const { data } = await summary(await anOrganizationAtNoon())
    const { funnel, period: _, ...figures } = data
    expect(figures).toEqual({
      deals: { created: 0, won: 0, lost: 0, open: 0 },
      tasks: { created: 0, done: 0, overdue: 0 },
      ...{ contacts: { created: 0 }, companies: { created: 0 }, money: [] },
      winRate: { won: 0, lost: 0, rate: null },
      cycle: { averageDays: null, medianDays: null },
      ...{ lostReasons: [], leaderboard: [], insights: [] },
    })
    const stages = listOf(listOf(funnel)[0]?.stages)
    expect(stages.map(({ name }) => name)).toEqual(['New', 'Talks', 'Won', 'Lost'])
    for (const each of stages) {
      expect(each).toMatchObject({ deals: 0, money: [], conversionFromPrevious: null, averageDaysInStage: null })
    }
  })

  it('whose day begins at one o’clock counts the last hour before for the day before', async () => {
    const organization = await anOrganizationAtNoon()
    const text = 'update organizations set time_zone = $2 where id = $1'
    await given.configure(organization, text, [organization.id, 'Africa/Cairo'])
    // On 24 April clocks go from midnight to one o'clock, at 22:00 UTC.
    for (const time of ['2026-04-23T21:59:59.999Z', '2026-04-23T22:00:00.000Z', '2026-04-24T20:59:59.999Z']) {
      given.clock.set(time)
      await aDealIn('first', organization)
    }
    const createdOn = async (day: string) => {
      const { data } = await summary(organization, `?startDate=${day}&endDate=${day}`)
      return objectOf(data.deals).created
    }
    expect([await createdOn('2026-04-23'), await createdOn('2026-04-24')]).toEqual([1, 2])
  })
})

describe('a deal', () => {
  it('that comes back to a stage has entered it once, with a filter and without', async () => {
    const organization = await anOrganizationAtNoon()
    const { stages, operator, pipelineId } = organization
    await aDealIn('first', organization, { ownerUuid: operator })
    const { id } = await aDealIn('first', organization, { ownerUuid: operator })
    for (const [version, stageUuid] of [stages.second, stages.first, stages.second].entries()) {
      given.clock.advance(60_000)
      await mover(organization)(id, version + 1, { stageUuid })
    }
    for (const query of ['', `?pipelineId=${pipelineId}`, `?ownerId=${operator}`]) {
      const { data } = await summary(organization, query)
      expect(listOf(listOf(data.funnel)[0]?.stages)[1]).toMatchObject({ deals: 1, conversionFromPrevious: '0.5000' })
    }
  })

  it('that was reopened is neither won nor lost, and counts again on the day of its new end', async () => {
    const organization = await anOrganizationAtNoon()
    const { stages, lostReason } = organization
    const { id } = await aDealIn('won', organization, { amount: '10.00' })
    const figuresOf = async (query = '') => {
      const { data } = await summary(organization, query)
      return [data.deals, data.money]
    }
    const money = { currency: 'USD', open: '0.00', won: '0.00', lost: '0.00', averageWon: null }
    const deals = { created: 1, won: 0, lost: 0, open: 0 }
    expect(await figuresOf()).toEqual([{ ...deals, won: 1 }, [{ ...money, won: '10.00', averageWon: '10.00' }]])
    given.clock.set('2026-03-03T12:00:00.000Z')
    await mover(organization)(id, 1, { stageUuid: stages.second })
    expect(await figuresOf()).toEqual([{ ...deals, open: 1 }, [{ ...money, open: '10.00' }]])
    given.clock.set('2026-03-04T12:00:00.000Z')
    await mover(organization)(id, 2, { stageUuid: stages.lost, lostReasonCategoryUuid: lostReason })
    expect(await figuresOf()).toEqual([{ ...deals, lost: 1 }, [{ ...money, lost: '10.00' }]])
    // On the evening of its first day it stood in the stage of won deals, but it is not won any more.
    expect(await figuresOf('?endDate=2026-03-02')).toEqual([deals, []])
    expect(await figuresOf('?endDate=2026-03-03')).toEqual([{ ...deals, open: 1 }, [{ ...money, open: '10.00' }]])
  })
})

describe('an archived stage', () => {
  it('is shown while a deal counts in it', async () => {
    const organization = await anOrganizationAtNoon()
    const { id } = await aDealIn('second', organization)
    const text = 'update stages set archived = true where organization_id = $1 and id = $2'
    await given.configure(organization, text, [organization.id, organization.stages.second])
    const stagesOf = async () => {
      const { data } = await summary(organization, '?startDate=2026-03-02')
      return listOf(objectOf(listOf(data.funnel)[0]).stages).map(({ name }) => name)
    }
    expect(await stagesOf()).toEqual(['New', 'Talks', 'Won', 'Lost'])
    await organization.client.delete(`/deals/${id}?expectedVersion=1`)
    expect(await stagesOf()).toEqual(['New', 'Won', 'Lost'])
  })
})

describe('a member that a token may not read', () => {
  /** Olga has won more deals, Pavel the larger one, and Rosa a deal in a currency that is not compared. */
  async function leaders() {
    const organization = await anOrganizationAtNoon()
    const [pavel, rosa] = [await anOperator(organization, 'Pavel'), await anOperator(organization, 'Rosa')]
    await aDealIn('won', organization, { ownerUuid: organization.operator, amount: '10.00' })
    await aDealIn('won', organization, { ownerUuid: organization.operator, amount: '20.00' })
    await aDealIn('won', organization, { ownerUuid: pavel, amount: '70.00' })
    await aDealIn('won', organization, { ownerUuid: rosa, amount: '900', currency: 'JPY' })
    await aDealIn('first', organization, { ownerUuid: pavel, amount: '5.50' })
    await aDealIn('lost', organization, { ownerUuid: pavel, amount: '7.00' })
    return organization
  }
  const ranks = ({ leaderboard }: JsonObject) => listOf(leaderboard).map(({ name, rank }) => `${rank} ${name}`)

  it('is absent for a token that may read all', async () => {
    const { data, meta } = await summary(await leaders())
    expect(meta.redacted).toEqual([])
    expect(data.money).toEqual([
      { currency: 'JPY', open: '0', won: '900', lost: '0', averageWon: '900' },
      { currency: 'USD', open: '5.50', won: '100.00', lost: '7.00', averageWon: '33.33' },
    ])
    expect(ranks(data)).toEqual(['1 Pavel', '2 Olga', '3 Rosa'])
    expect(listOf(data.leaderboard)[0]).toMatchObject({
      ...{ won: 1, lost: 1, rate: '0.5000' },
      money: [{ currency: 'USD', amount: '70.00' }],
    })
    expect(listOf(data.lostReasons)).toMatchObject([
      { name: 'Price', deals: 1, money: [{ currency: 'USD', amount: '7.00' }] },
    ])
    expect(kindsOf(data)).toEqual(['top_manager', 'largest_deal'])
    expect(listOf(data.insights).map(({ params }) => params)).toMatchObject([
      { name: 'Pavel', won: 1 },
      { amount: '70.00', currency: 'USD' },
    ])
  })

  it('is every amount: it is null, and orders nothing', async () => {
    const organization = await leaders()
    const client = await organization.token(allBut('crm_amounts_read'))
    const { data, meta } = await summary({ client })
    expect(meta.redacted).toEqual(['amounts'])
    expect(data.money).toEqual([
      { currency: 'JPY', open: null, won: null, lost: null, averageWon: null },
      { currency: 'USD', open: null, won: null, lost: null, averageWon: null },
    ])
    const text = JSON.stringify(data)
    expect(text).not.toMatch(/"amount":"|\d\.\d\d"/u)
    expect(text).toContain('"money":[{"currency":"USD","amount":null}]')
    expect(ranks(data)).toEqual(['1 Olga', '2 Rosa', '3 Pavel'])
    expect(kindsOf(data)).toEqual(['top_manager'])
    expect(listOf(data.insights)[0]?.params).toMatchObject({ name: 'Olga', won: 2 })
  })

  it('is every operator: there is no leaderboard, and no insight from it', async () => {
    const organization = await leaders()
    const client = await organization.token(['crm_analytics_read'])
    const { data, meta } = await summary({ client })
    expect(meta.redacted).toEqual(['amounts', 'operators'])
    expect(data).not.toHaveProperty('leaderboard')
    expect(data.insights).toEqual([])
    expect(JSON.stringify(data)).not.toMatch(/Olga|Pavel|Rosa/u)
  })
})

describe('the leaderboard', () => {
  it('gives equals the same rank, and the next one a place behind both', async () => {
    const organization = await anOrganizationAtNoon()
    const [pavel, rosa] = [await anOperator(organization, 'Pavel'), await anOperator(organization, 'Rosa')]
    for (const ownerUuid of [pavel, rosa]) await aDealIn('won', organization, { ownerUuid, amount: '10.00' })
    await aDealIn('lost', organization, { ownerUuid: organization.operator })
    await aDealIn('won', organization, { amount: '500.00' })
    const { data } = await summary(organization)
    expect(listOf(data.leaderboard).map(({ rank, won, lost }) => [rank, won, lost])).toEqual([
      [1, 1, 0],
      [1, 1, 0],
      [3, 0, 1],
    ])
  })

  it('has a hundred operators at most', async () => {
    const organization = await anOrganizationAtNoon()
    await aDealIn('won', organization, { ownerUuid: organization.operator, amount: '1.00' })
    await given.sql(
      `insert into deals select (jsonb_populate_record(d, jsonb_build_object('id', gen_random_uuid(), 'owner_uuid',
         gen_random_uuid(), 'amount', n))).* from deals d, generate_series(2, 120) n where d.organization_id = $1`,
      [organization.id],
    )
    const { data } = await summary(organization)
    const leaders = listOf(data.leaderboard)
    expect([leaders.length, leaders[0]?.rank, leaders.at(-1)?.rank]).toEqual([100, 1, 100])
    expect(leaders[99]?.money).toEqual([{ currency: 'USD', amount: '21.00' }])
  })
})

describe('insights', () => {
  it('name an open stage in which deals stay twice as long as in the others', async () => {
    const organization = await anOrganizationAtNoon()
    const { stages } = organization
    const deals = await Promise.all(Array.from({ length: 5 }, () => aDealIn('first', organization)))
    given.clock.set('2026-03-03T12:00:00.000Z')
    for (const { id } of deals) await mover(organization)(id, 1, { stageUuid: stages.second })
    given.clock.set('2026-03-05T11:00:00.000Z')
    for (const { id } of deals.slice(1)) await mover(organization)(id, 2, { stageUuid: stages.won })
    expect(kindsOf((await summary(organization)).data)).not.toContain('stage_bottleneck')
    given.clock.set('2026-03-05T18:00:00.000Z')
    await mover(organization)(deals[0]?.id, 2, { stageUuid: stages.won })
    const { data } = await summary(organization)
    const [bottleneck] = listOf(data.insights).filter(({ kind }) => kind === 'stage_bottleneck')
    expect(bottleneck).toMatchObject({
      severity: 'warning',
      params: { pipelineId: organization.pipelineId, stageUuid: stages.second, name: 'Talks', averageDays: 2 },
    })
  })

  it('show that the win rate fell by a tenth, where ten deals were closed in both periods', async () => {
    const organization = await anOrganizationAtNoon()
    const close = async (won: number, lost: number) => {
      for (let count = 0; count < won; count += 1) await aDealIn('won', organization)
      for (let count = 0; count < lost; count += 1) await aDealIn('lost', organization)
    }
    await close(6, 4)
    given.clock.set('2026-03-04T12:00:00.000Z')
    await close(5, 4)
    const period = '?startDate=2026-03-03&endDate=2026-03-04'
    expect(kindsOf((await summary(organization, period)).data)).not.toContain('win_rate_drop')
    await close(0, 1)
    const { data } = await summary(organization, period)
    const [drop] = listOf(data.insights).filter(({ kind }) => kind === 'win_rate_drop')
    expect(drop).toMatchObject({ severity: 'warning', params: { rate: '0.5000', previousRate: '0.6000' } })
  })

  it('name the largest won deal in the default currency, and among equal ones the last closed', async () => {
    const organization = await anOrganizationAtNoon()
    const won = async (members: JsonObject) => {
      given.clock.advance(1234)
      return (await aDealIn('won', organization, members)).id
    }
    const [, last] = [await won({ amount: '70.10' }), await won({ amount: '70.10' })]
    const later = await won({ amount: '9.99' })
    await won({ amount: '900.00', currency: 'EUR' })
    await aDealIn('lost', organization, { amount: '100.00' })
    await aDealIn('first', organization, { amount: '100.00' })
    const largest = async (query = '') => {
      const { data } = await summary(organization, query)
      return listOf(data.insights).flatMap(({ kind, params }) => (kind === 'largest_deal' ? [params] : []))
    }
    expect(await largest()).toEqual([{ dealId: last, amount: '70.10', currency: 'USD' }])
    expect(await largest(`?ownerId=${newId()}`)).toEqual([])
    const owner = { ownerUuid: organization.operator, expectedVersion: 1 }
    expect((await organization.client.patch(`/deals/${later}`, owner)).status).toBe(200)
    expect(await largest(`?ownerId=${organization.operator}`)).toEqual([
      { dealId: later, amount: '9.99', currency: 'USD' },
    ])
  })

  it('count overdue tasks', async () => {
    const organization = await anOrganizationAtNoon()
    await organization.client.post('/tasks', { title: 'Call', dueDate: '2026-03-02' })
    expect(kindsOf((await summary(organization)).data)).toEqual([])
    await organization.client.post('/tasks', { title: 'Call', dueDate: '2026-03-01' })
    const { data } = await summary(organization)
    expect(data.tasks).toEqual({ created: 2, done: 0, overdue: 1 })
    expect(data.insights).toMatchObject([
      { kind: 'overdue_tasks', severity: 'warning', text: 'One task is overdue.', params: { overdue: 1 } },
    ])
  })
})
