import { expect, test } from 'vitest'
import type { Client } from './client.ts'
import { addAmounts, describeTotals, totalsOfPipeline } from './totals.ts'

test.each([
  ['0', '0.00', '0.00'],
  ['0.01', '0.09', '0.10'],
  ['0.1', '0.02', '0.12'],
  ['1500', '3', '1503'],
  ['999999999999999.99', '999999999999999.99', '1999999999999999.98'],
])('%s and %s are %s', (left, right, sum) => {
  expect(addAmounts(left, right)).toBe(sum)
})

test('the deals of the pipeline are counted over all pages, by stage and by currency', async () => {
  const pages = new Map([
    [
      '/deals?limit=2',
      { deals: [deal('ours', 'won', '1000.50', 'USD'), deal('other', 'won', '7.00', 'USD')], next: 'a=' },
    ],
    ['/deals?limit=2&cursor=a%3D', { deals: [deal('ours', 'won', '0.75', 'USD')], next: 'b' }],
    [
      '/deals?limit=2&cursor=b',
      { deals: [deal('ours', 'won', '90', 'JPY'), deal('ours', 'new', null, null)], next: null },
    ],
  ])
  const client: Pick<Client, 'get'> = {
    async get(path) {
      const page = pages.get(path)
      return { status: 200, data: page?.deals, meta: { nextCursor: page?.next } }
    },
  }
  const directories = {
    pipelineId: 'ours',
    stageUuids: new Map([
      ['Prospecting' as const, 'new'],
      ['Won' as const, 'won'],
    ]),
    operatorUuids: new Map(),
  }
  expect(describeTotals(await totalsOfPipeline(client, directories, 2))).toEqual([
    'Prospecting         1   no amounts',
    'Won                 3   90 JPY, 1,001.25 USD',
    'All                 4   90 JPY, 1,001.25 USD',
  ])
})

function deal(pipelineId: string, stageUuid: string, amount: string | null, currency: string | null) {
  return { pipelineId, stageUuid, amount, currency }
}
