import { describe, expect, it } from 'vitest'
import { refused } from '../../../../test/support/decisions.ts'
import { aiOperatorRules, namedAssignee } from './operator.rules.ts'

/** A change that is sent, and the person who is there. */
const change = (input: Record<string, unknown>, there: string | null = null) => ({
  input,
  isHeld: (assigneeUuid: string) => assigneeUuid === there,
})

describe('an AI operator', () => {
  it('is enabled with an agent alone', () => {
    const settled = (enabled: boolean, agentId: string | null) =>
      refused(aiOperatorRules.settle({ enabled, agentId }, change({})))
    expect(settled(true, null)).toEqual([422, 'validation_error', '/enabled agent_required'])
    expect(settled(true, 'agent')).toEqual({ enabled: true, agentId: 'agent' })
    expect(settled(false, null)).toEqual({ enabled: false, agentId: null })
  })

  it('hands dialogs over to an active person', () => {
    const next = { enabled: false, agentId: null }
    const input = { handoff: { assigneeUuid: 'person' } }
    expect(aiOperatorRules.settle(next, change(input, 'person'))).toBe(next)
    expect(refused(aiOperatorRules.settle(next, change(input)))).toEqual([
      ...[422, 'validation_error', '/handoff/assigneeUuid operator'],
    ])
  })

  it('is switched off without its agent', () => {
    expect(aiOperatorRules.relinked({ enabled: true, agentId: null })).toEqual({ enabled: false, agentId: null })
    expect(aiOperatorRules.relinked({ enabled: true, agentId: 'agent' })).toEqual({ enabled: true, agentId: 'agent' })
  })
})

describe('the person named by a change', () => {
  it.each([
    [{ handoff: { assigneeUuid: 'person' } }, 'person'],
    [{ handoff: { assigneeUuid: null } }, null],
    [{ handoff: {} }, null],
    [{ handoff: null }, null],
    [{}, null],
  ])('%j is %j', (input, person) => {
    expect(namedAssignee(input)).toBe(person)
  })
})
