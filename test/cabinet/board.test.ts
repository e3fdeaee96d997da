import { beforeAll, describe, expect, it } from 'vitest'
import { boardBounds } from '../../server/src/cabinet/board/board-bounds.ts'
import type { JsonObject } from '../../server/src/kernel/schema/index.ts'
import { allBut } from '../conformance/support/given.ts'
import { listOf } from '../conformance/support/uploads.ts'
import { aCompany, aDeal } from '../support/builders.ts'
import type { TestOrganization } from '../support/organization.ts'
import { setBound } from '../support/set-bound.ts'
import { readIn, useReads } from './support/reads.ts'

const given = useReads()
let organization: TestOrganization
let company: JsonObject

beforeAll(async () => {
  organization = await given.organization()
  const { client, operator, stages } = organization
  company = (await client.post('/companies', aCompany({ name: 'Mills' }))).data
  const companies = [{ id: company.id }]
  // A new deal goes to the top of its stage.
  for (const [title, more] of [
    ['Third', { amount: '0.25', currency: 'EUR', ownerUuid: operator }],
    ['Second', { amount: '1200.50' }],
    ['First', { amount: '99.50', currency: 'USD' }],
    ['Sold', { amount: null, stageUuid: stages.won }],
  ] as const)
    expect((await client.post('/deals', aDeal({ title, companies, ...more }))).status).toBe(201)
})

/** The stages of a board. */
async function stagesOf(query = '', of = organization): Promise<JsonObject[]> {
  return listOf((await readIn(of, `/boards/deals${query}`)).data.stages)
}

const titlesOf = (stage: JsonObject | undefined) => listOf(stage?.cards).map(({ title }) => title)
const placesOf = (stage: JsonObject | undefined) => listOf(stage?.cards).map(({ place }) => place)

describe('the board of deals', () => {
  it('has each stage of the pipeline in order, with its deals, their number and what they amount to by currency', async () => {
    const shown = await stagesOf()
    const { first, second, won, lost } = organization.stages
    expect(shown.map(({ stageUuid, count }) => [stageUuid, count])).toEqual([
      [first, 3],
      [second, 0],
      [won, 1],
      [lost, 0],
    ])
    expect(titlesOf(shown[0])).toEqual(['First', 'Second', 'Third'])
    expect(shown[0]).toMatchObject({
      isExact: true,
      sums: [
        { currency: 'EUR', amount: '0.25' },
        { currency: 'USD', amount: '1300.00' },
      ],
    })
    expect(listOf(shown[0]?.cards)[1]).toMatchObject({
      place: 1,
      version: 1,
      amount: '1200.50',
      stageUuid: first,
      company: { id: company.id, name: 'Mills' },
    })
    expect(shown[2]).toMatchObject({ sums: [], cards: [{ title: 'Sold', amount: null, status: 'won' }] })
    expect(await stagesOf(`?pipelineId=${organization.pipelineId}`)).toEqual(shown)
  })

  it('follows a move, with the place that the move has given', async () => {
    const { client, stages } = organization
    const [moved] = listOf((await stagesOf())[0]?.cards)
    const path = `/deals/${String(moved?.id)}/move`
    await client.patch(path, { expectedVersion: 1, stageUuid: stages.first, position: 1 })
    const [after] = await stagesOf()
    expect(titlesOf(after)).toEqual(['Second', 'First', 'Third'])
    expect(placesOf(after)).toEqual([0, 1, 2])
    await client.patch(path, { expectedVersion: 2, stageUuid: stages.first, position: 0 })
  })

  it('takes the filters of the list, shows the stages that are asked for, and keeps the places of the stage', async () => {
    const { operator, stages } = organization
    const [stage] = await stagesOf(`?ownerUuid=${operator}`)
    expect(stage).toMatchObject({ count: 1, sums: [{ currency: 'EUR' }], cards: [{ title: 'Third', place: 2 }] })
    expect((await stagesOf('?search=second'))[0]).toMatchObject({ count: 1, cards: [{ title: 'Second', place: 1 }] })
    const some = await stagesOf(`?stageUuid=${stages.won}&stageUuid=${stages.first}`)
    expect(some.map(({ stageUuid }) => stageUuid)).toEqual([stages.first, stages.won])
  })

  it('has no amount and no sum for a caller without the right to amounts, and no name of a company without that', async () => {
    const some = await organization.token(allBut('crm_amounts_read', 'crm_companies_read'))
    const { data, meta } = await readIn(organization, '/boards/deals', some)
    expect(meta.redacted).toContain('amounts')
    expect(listOf(data.stages)[0]).toMatchObject({ count: 3, cards: [{ title: 'First', company: null }, {}, {}] })
    expect(JSON.stringify(data)).not.toMatch(/"sums"|"amount"|1200\.50|Mills/u)
  })

  it('refuses another pipeline, a wrong number of cards, and what the list refuses', async () => {
    for (const query of [
      'pipelineId=00000000-0000-4000-8000-000000000000',
      'cards=201',
      'ownerUuid=Olga',
      'sort=title',
      'customField.region=north',
    ])
      expect((await readIn(organization, `/boards/deals?${query}`)).error.code, query).toBe('validation_error')
    const noDeals = await organization.token(['crm_contacts_read'])
    expect((await readIn(organization, '/boards/deals', noDeals)).status).toBe(403)
    const noTags = await organization.token(allBut('crm_tags_read'))
    expect((await readIn(organization, `/boards/deals?tagIds=${organization.tag}`, noTags)).status).toBe(403)
  })

  it('shows nothing of another organization', async () => {
    const shown = await stagesOf('', await given.organization())
    expect(shown.map(({ count }) => count)).toEqual([0, 0, 0, 0])
  })
})

describe('what the board reads', () => {
  it('ends at its bound of deals in a stage, and says that there are more', async () => {
    setBound(boardBounds.boardStageScan, 2)
    const [stage] = await stagesOf()
    expect(stage).toMatchObject({ count: 2, isExact: false, sums: [{ currency: 'USD', amount: '1300.00' }] })
    expect(titlesOf(stage)).toEqual(['First', 'Second'])
    expect((await stagesOf('?search=third'))[0]).toMatchObject({ count: 0, isExact: false, cards: [] })
  })

  it('has as many cards of a stage as are asked for, and counts those without a card', async () => {
    const [stage] = await stagesOf('?cards=2')
    expect(titlesOf(stage)).toEqual(['First', 'Second'])
    expect(stage).toMatchObject({ count: 3, isExact: true })
  })

  it('shares its bound of cards among the stages, and ends at its bound of stages', async () => {
    setBound(boardBounds.boardCards, 4)
    expect(titlesOf((await stagesOf())[0])).toEqual(['First'])
    expect(titlesOf((await stagesOf(`?stageUuid=${organization.stages.first}`))[0])).toHaveLength(3)
    setBound(boardBounds.boardStages, 1)
    expect(await stagesOf()).toHaveLength(1)
  })
})
