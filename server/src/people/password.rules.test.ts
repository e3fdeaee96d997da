import { expect, test } from 'vitest'
import { passwordIssues } from './password.rules.ts'

const owner = { email: 'una.berg@northwind.example', name: 'Una Berg' }
const rulesOf = (password: string) =>
  passwordIssues(password, owner, text => text === 'password1234').map(({ rule }) => rule)

test.each([
  ['eleven char', ['too_short']],
  ['twelve chars', []],
  ['éßж漢字あ🙂🙂🙂🙂🙂', ['too_short']],
  ['éßж漢字あ🙂🙂🙂🙂🙂🙂', []],
  [`${'ab '.repeat(85)}c`, []],
  [`${'ab '.repeat(85)}cd`, ['too_long']],
  ['PASSWORD1234', ['too_common']],
  ['abababababab', ['too_common']],
  ['una.berg@northwind.example', ['own_name']],
  ['Una-Berg-1234', ['own_name']],
  ['northwind2026', ['own_name']],
  ['una likes seven green boats', []],
])('%j: %j', (password, rules) => {
  expect(rulesOf(password)).toEqual(rules)
})
