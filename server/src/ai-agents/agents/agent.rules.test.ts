import { expect, it } from 'vitest'
import { aWriteContext } from '../../../../test/support/decisions.ts'
import { agentRules } from './agent.rules.ts'

it('an agent speaks the language that it is given, or else that of its organization', () => {
  const write = aWriteContext()
  const settled = (language: string) => agentRules.settle({ name: 'Ada', language }, { write })
  expect(settled('de')).toEqual({ name: 'Ada', language: 'de' })
  expect(settled('')).toEqual({ name: 'Ada', language: 'en' })
})
