import fc from 'fast-check'
import { expect, it } from 'vitest'
import { reflectParts } from './parts.rules.ts'

const kind = (name: string) => ({ resource: { kind: name } })
const state = { itemsTotal: '0', itemsCount: 0, activitiesCount: 0, filesCount: 0 }

const cents = fc.integer({ min: 0, max: 1_000_000 })
const shown = (value: number) => ({ total: `${Math.floor(value / 100)}.${String(value % 100).padStart(2, '0')}` })

it('counts items and sums their totals exactly, however they come, change and go', () => {
  const changes = fc.array(fc.record({ item: fc.nat(9), value: fc.option(cents) }), { maxLength: 30 })
  fc.assert(
    fc.property(changes, drawn => {
      const kept = new Map<number, number>()
      const reflected = drawn.reduce((before, { item, value }) => {
        const old = kept.get(item)
        if (value === null) kept.delete(item)
        else kept.set(item, value)
        if (old === undefined && value === null) return before
        const [one, other] = [old, value ?? undefined].map(each => (each === undefined ? null : shown(each)))
        return reflectParts(before, [{ ...kind('deal_item'), before: one ?? null, after: other ?? null }])
      }, state)
      const sum = [...kept.values()].reduce((total, value) => total + value, 0)
      expect(reflected).toMatchObject({ itemsCount: kept.size, activitiesCount: 0 })
      expect(Math.round(Number(reflected.itemsTotal) * 100)).toBe(sum)
    }),
  )
})

it('counts activities and files, which have no total', () => {
  const steps = [
    { ...kind('deal_activity'), before: null, after: {} },
    { ...kind('deal_activity'), before: null, after: {} },
    { ...kind('deal_activity'), before: {}, after: {} },
    { ...kind('deal_activity'), before: {}, after: null },
    { ...kind('deal_file'), before: null, after: {} },
    { ...kind('deal_file'), before: null, after: {} },
    { ...kind('deal_file'), before: null, after: {} },
    { ...kind('deal_file'), before: {}, after: null },
  ]
  expect(reflectParts(state, steps)).toEqual({ itemsTotal: '0', itemsCount: 0, activitiesCount: 1, filesCount: 2 })
})
