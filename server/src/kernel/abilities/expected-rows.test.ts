import { describe, expect, test } from 'vitest'
import { expectedRows } from './expected-rows.ts'

const planOf = (rows: number) => [{ Plan: { 'Node Type': 'Index Scan', 'Plan Rows': rows } }]

/** As the coordinator of a cluster answers. */
const distributed = (...remote: readonly unknown[]) => [
  {
    Plan: {
      'Node Type': 'Custom Scan',
      'Custom Plan Provider': 'Citus Adaptive',
      'Plan Rows': 100_000,
      'Distributed Query': {
        Job: {
          'Task Count': remote.length,
          'Tasks Shown': 'All',
          Tasks: remote.map(plans => ({ Node: 'host=node', 'Remote Plan': plans })),
        },
      },
    },
  },
]

describe('the rows that PostgreSQL expects', () => {
  test('are those of the outermost node of the plan', () => {
    expect(expectedRows(planOf(17))).toBe(17)
    expect(expectedRows(planOf(0))).toBe(0)
  })

  test('are on a cluster those of the node that has the organization, whatever the coordinator says', () => {
    expect(expectedRows(distributed([planOf(17)]))).toBe(17)
    expect(expectedRows(distributed([planOf(17)], [planOf(4)]))).toBe(21)
  })

  test.each([
    ['no plan', undefined],
    ['no rows', [{ Plan: { 'Node Type': 'Result' } }]],
    ['a cluster that does not ask its nodes', distributed('explain_distributed_queries is off')],
    ['a cluster of which one node does not answer', distributed([planOf(17)], null)],
    ['a cluster without tasks', distributed()],
    ['a cluster in another form', [{ Plan: { 'Plan Rows': 100_000, 'Distributed Query': null } }]],
  ])('are unknown from %s', (_, explained) => {
    expect(expectedRows(explained)).toBeNull()
  })
})
