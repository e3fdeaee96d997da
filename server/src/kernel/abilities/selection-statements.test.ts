import { describe, expect, test } from 'vitest'
import { singer as resource } from '../../../../test/support/sample-resources.ts'
import { binding } from '../sql/index.ts'
import type { ListCondition, ListOrder } from './list-selection.ts'
import { countText, gatherText, type ListPosition, walkText } from './selection-statements.ts'

const order: ListOrder = { value: 't.fee', type: 'numeric', isNullable: true, descends: false }
const range: ListCondition = { text: bind => `t.fee >= ${bind(5)}`, limits: 't.fee' }
const loud: ListCondition = { text: bind => `t.volume = ${bind('loud')}`, frequency: 4 }

function walked(after: ListPosition | null, { descends = false, conditions = [loud] } = {}) {
  const values: unknown[] = ['organization', 'application', 51]
  const asked = { after, looks: 7, bind: binding(values) }
  return { text: walkText(resource, { conditions, order: { ...order, descends } }, asked), values }
}

/** How many times a text contains another one. */
const times = (text: string, part: string) => text.split(part).length - 1

describe('a walk along an order whose values can be empty', () => {
  test('begins with the values, and goes on with the empty ones', () => {
    const { text } = walked(null)
    expect(text.indexOf('t.fee is not null')).toBeLessThan(text.indexOf('t.fee is null'))
    expect(text).toContain('order by t.fee asc, t.id asc limit 7')
  })

  test('goes on behind a value in the direction of the order', () => {
    expect(walked({ value: '5', id: 'x' }).text).toContain('(t.fee, t.id) > ($4::numeric, $5::uuid)')
    expect(walked({ value: '5', id: 'x' }, { descends: true }).text).toContain(
      '(t.fee, t.id) < ($4::numeric, $5::uuid)',
    )
  })

  test('goes on behind an empty value among the empty ones alone', () => {
    const { text } = walked({ value: null, id: 'x' })
    expect(text).toContain('t.fee is null and t.id > $4::uuid')
    expect(text).not.toContain('is not null')
  })

  test('leaves the empty ones out where a range limits the values, and looks at nothing outside the range', () => {
    const { text } = walked(null, { conditions: [range, loud] })
    expect(text).not.toContain('t.fee is null')
    // For the page, and for the place where it stopped.
    expect(times(text, 't.fee >= $')).toBe(2)
    expect(times(text, 't.volume = $')).toBe(1)
  })

  test('has a parameter for each of its values', () => {
    for (const after of [null, { value: '5', id: 'x' }, { value: null, id: 'x' }]) {
      const { text, values } = walked(after, { conditions: [range, loud] })
      for (let number = 1; number <= values.length; number += 1)
        expect(text).toMatch(new RegExp(`\\$${number}\\b`, 'u'))
    }
  })
})

test('records that an index finds are found without the other conditions, and sorted with the empty values last', () => {
  const values: unknown[] = []
  const selection = { conditions: [range, loud], order: { ...order, descends: true } }
  const text = gatherText(resource, selection, { after: null, found: loud, bind: binding(values) })
  expect(text).toMatch(/t\.volume = \$1 offset 0\) t\s+where true and \(t\.fee >= \$2\)/u)
  expect(text).toContain('order by (t.fee) is null, t.fee desc, t.id desc limit $3')
  expect(values).toEqual(['loud', 5])
})

test('records are counted up to a number', () => {
  const text = countText(resource, loud, 2001, binding([null, null]))
  expect(text).toContain('t.volume = $3 offset 0) t limit 2001')
})
