import { describe, expect, it } from 'vitest'
import { aConfiguration } from '../../../../test/support/decisions.ts'
import { priced, someFigures, standing } from '../../../../test/support/figures.ts'
import type { Stage } from '../../kernel/schema/index.ts'
import { funnelOf } from './funnel.rules.ts'

const stage = (uuid: string, members: Partial<Stage> = {}): Stage => ({
  uuid,
  name: uuid.toUpperCase(),
  type: 'open',
  pipelineId: 'sales',
  position: 0,
  archived: false,
  ...members,
})
const pipeline = (id: string, ...stages: Stage[]) => ({
  id,
  name: id,
  isDefault: false,
  lostReasonRequired: false,
  stages,
})
const configuration = aConfiguration({
  pipelines: [
    pipeline('sales', stage('new'), stage('old', { archived: true }), stage('talks'), stage('won', { type: 'won' })),
    pipeline('renewals', stage('due')),
  ],
})

const figures = someFigures({
  standing: [standing('talks', priced(2, '3')), standing('talks', priced(1, '4', 'EUR')), standing('won', priced(1))],
  entered: [
    { stage: 'new', deals: 4 },
    { stage: 'talks', deals: 3 },
  ],
  left: [{ stage: 'new', stays: 2, seconds: 5 * 86_400 }],
})

/** The stages of the first pipeline that are shown when these figures are all there is. */
const shown = (members: Parameters<typeof someFigures>[0]) =>
  funnelOf(someFigures(members), configuration, undefined, true)[0]?.stages.map(({ stageUuid }) => stageUuid)

describe('the funnel', () => {
  it('has the stages of a pipeline in their order, each with its deals, its conversion and its stays', () => {
    expect(funnelOf(figures, configuration, 'sales', true)).toEqual([
      {
        pipelineId: 'sales',
        stages: [
          {
            stageUuid: 'new',
            name: 'NEW',
            type: 'open',
            deals: 0,
            money: [],
            conversionFromPrevious: null,
            averageDaysInStage: 2.5,
          },
          {
            stageUuid: 'talks',
            name: 'TALKS',
            type: 'open',
            deals: 3,
            money: [
              { currency: 'EUR', amount: '4.00' },
              { currency: 'USD', amount: '3.00' },
            ],
            conversionFromPrevious: '0.7500',
            averageDaysInStage: null,
          },
          {
            stageUuid: 'won',
            name: 'WON',
            type: 'won',
            deals: 1,
            money: [],
            conversionFromPrevious: '0.0000',
            averageDaysInStage: null,
          },
        ],
      },
    ])
  })

  it('is that of every pipeline by default', () => {
    const pipelines = (asked?: string) =>
      funnelOf(figures, configuration, asked, true).map(({ pipelineId }) => pipelineId)
    expect([pipelines(), pipelines('renewals'), pipelines('none')]).toEqual([['sales', 'renewals'], ['renewals'], []])
  })

  it('has no conversion where no deal entered the stage before', () => {
    const [sales] = funnelOf(someFigures(), configuration, 'sales', true)
    expect(sales?.stages.map(({ conversionFromPrevious }) => conversionFromPrevious)).toEqual([null, null, null])
  })

  it('shows an archived stage where deals stand in it, entered it or left it', () => {
    const active = ['new', 'old', 'talks', 'won']
    expect(shown({})).toEqual(['new', 'talks', 'won'])
    expect(shown({ standing: [standing('old', priced(1))] })).toEqual(active)
    expect(shown({ entered: [{ stage: 'old', deals: 1 }] })).toEqual(active)
    expect(shown({ left: [{ stage: 'old', stays: 1, seconds: 1 }] })).toEqual(active)
  })

  it('has no amount for a token that may not read amounts', () => {
    const [sales] = funnelOf(figures, configuration, 'sales', false)
    expect(sales?.stages[1]).toMatchObject({
      money: [
        { currency: 'EUR', amount: null },
        { currency: 'USD', amount: null },
      ],
    })
  })
})
