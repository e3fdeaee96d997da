import { expect, test } from 'vitest'
import { describeTotals, totalsOfCrm, totalsOfFile } from './totals.ts'

const pipeline = {
  pipelineId: 'ours',
  stageUuids: new Map([
    ['Prospecting' as const, 'new'],
    ['Won' as const, 'won'],
  ]),
}

async function* deals(
  ...amounts: readonly (readonly [stageUuid: string, amount: string | null, currency: string | null])[]
) {
  for (const [stageUuid, amount, currency] of amounts) yield { pipelineId: 'ours', stageUuid, amount, currency }
  yield { pipelineId: 'other', stageUuid: 'won', amount: '7.00', currency: 'USD' }
}

test.each([
  ['0', '0.00', '0.00'],
  ['0.01', '0.09', '0.10'],
  ['0.1', '0.02', '0.12'],
  ['1500', '3', '1,503.00'],
  ['0.125', '0.5', '0.6250'],
  ['999999999999999.99', '999999999999999.99', '1,999,999,999,999,999.98'],
])('%s and %s are %s', async (left, right, sum) => {
  const totals = await totalsOfCrm(deals(['won', left, 'USD'], ['won', right, 'USD']), pipeline)
  expect(describeTotals(totals)[0]).toBe(`Won                 2   ${sum} USD`)
})

test('the deals of the pipeline are counted by stage and by currency', async () => {
  const ours = deals(
    ['won', '1000.50', 'USD'],
    ['won', '0.75', 'USD'],
    ['won', '90', 'JPY'],
    ['new', null, null],
    ['gone', '1', 'USD'],
  )
  expect(describeTotals(await totalsOfCrm(ours, pipeline))).toEqual([
    'Prospecting         1   no amounts',
    'Won                 3   90.00 JPY, 1,001.25 USD',
    'Other stages        1   1.00 USD',
    'All                 5   90.00 JPY, 1,002.25 USD',
  ])
})

test('a file and a CRM that say the same have the same totals', async () => {
  const row = { id: 'A1', agent: '', product: '', account: null, engageDate: null, closeDate: null }
  const file = totalsOfFile([{ ...row, stage: 'Won', amount: '49.50', currency: 'USD' }])
  expect(describeTotals(file)).toEqual(describeTotals(await totalsOfCrm(deals(['won', '49.5', 'USD']), pipeline)))
})
