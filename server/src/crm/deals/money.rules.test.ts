import { describe, expect, it } from 'vitest'
import { aConfiguration, aDealState, organizationSettings, refused } from '../../../../test/support/decisions.ts'
import { Refusal } from '../../kernel/schema/index.ts'
import type { DealState } from './deal-fields.ts'
import { settleMoney } from './money.rules.ts'

const configuration = aConfiguration({ organization: organizationSettings({ currencies: ['USD', 'JPY'] }) })

const aDeal = (amount: string | null, currency: string | null) => aDealState({ amount, currency })

/** The money of a deal after a request, or the place and rule of its refusal. */
function settled(next: DealState, previous: DealState | null = null, input: Record<string, unknown> = {}): unknown {
  const result = settleMoney(next, previous, input, configuration)
  return result instanceof Refusal ? [...[refused(result)].flat(), result.message] : [result.amount, result.currency]
}

describe('an amount', () => {
  it('is in the currency of the organization by default', () => {
    expect(settled(aDeal('1.50', null))).toEqual(['1.50', 'USD'])
    expect(settled(aDeal('150', 'JPY'))).toEqual(['150', 'JPY'])
  })

  it('cannot lose its currency alone', () => {
    const refused = [
      422,
      'validation_error',
      '/currency required',
      '/currency: An amount needs a currency: clear both or neither',
    ]
    expect(settled(aDeal('1.50', null), aDeal('1.50', 'USD'), { currency: null })).toEqual(refused)
    expect(settled(aDeal(null, null), aDeal('1.50', 'USD'), { amount: null, currency: null })).toEqual([null, null])
  })

  it('has no more digits than its currency', () => {
    const refused = [422, 'validation_error', '/amount decimal', '/amount: JPY has 0 digits after the decimal point']
    expect(settled(aDeal('1.50', 'JPY'))).toEqual(refused)
    expect(settled(aDeal('1.50', 'JPY'), aDeal('1.50', 'USD'))).toEqual(refused)
    expect(settled(aDeal('1.50', 'JPY'), aDeal('2', 'JPY'))).toEqual(refused)
    expect(settled(aDeal('1.00', 'JPY'))).toEqual(['1.00', 'JPY'])
  })

  it('stays as it is stored, also where it would be refused today', () => {
    expect(settled(aDeal('1.50', 'JPY'), aDeal('1.50', 'JPY'))).toEqual(['1.50', 'JPY'])
  })
})

describe('a currency', () => {
  it('may stand without an amount, or be absent', () => {
    expect(settled(aDeal(null, 'JPY'))).toEqual([null, 'JPY'])
    expect(settled(aDeal(null, null), null, { currency: null })).toEqual([null, null])
  })

  it('is one of the organization, unless the deal has it already', () => {
    const refused = [
      422,
      'validation_error',
      '/currency currency',
      '/currency: EUR is not enabled: see organization.currencies of /capabilities',
    ]
    expect(settled(aDeal(null, 'EUR'))).toEqual(refused)
    expect(settled(aDeal('1', 'EUR'), aDeal('1', 'USD'))).toEqual(refused)
    expect(settled(aDeal('2', 'EUR'), aDeal('1', 'EUR'))).toEqual(['2', 'EUR'])
  })
})
