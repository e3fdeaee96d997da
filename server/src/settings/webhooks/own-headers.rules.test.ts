import { expect, test } from 'vitest'
import { wrongOwnHeaders } from './own-headers.rules.ts'

const header = (name: string, value = 'secret-value') => ({ name, value })

test('headers with credentials and up to ten of them are valid', () => {
  const ten = Array.from({ length: 10 }, (_, index) => header(`X-${index}`, 'a'.repeat(1000)))
  for (const valid of [[], [header('Authorization', 'Bearer a.b-c')], [header('x'.repeat(100))], ten])
    expect(wrongOwnHeaders(valid)).toBeNull()
})

test.each([
  ...['Host', 'Connection', 'Transfer-Encoding', 'Content-Type', 'content-length', 'Content-Encoding'],
  ...['webhook-id', 'Webhook-Signature', 'CRM-Request-Id', 'crm-replay', 'Upgrade'],
])('the header %s is made by the server', name => {
  expect(wrongOwnHeaders([header(name)])).toBe(`The header ${name} is made by the server`)
})

test.each([
  [Array.from({ length: 11 }, (_, index) => header(`X-${index}`)), 'a webhook has at most 10 headers of its own'],
  [[header('X-A'), header('x-a')], 'there are two headers x-a'],
  [[header('cookie')], 'a webhook sends no cookies'],
  [[header('X A')], 'A header is named with letters, digits and -'],
  [[header('')], 'A header is named with letters, digits and -'],
  [[header('x'.repeat(101))], 'the name of a header takes at most 100 characters'],
  [[header('X-A', '')], 'the value of the header X-A takes 1 to 1000 characters'],
  [[header('X-A', 'a'.repeat(1001))], 'the value of the header X-A takes 1 to 1000 characters'],
  [
    [header('X-A', 'a\r\nHost: b')],
    'the value of the header X-A has visible ASCII characters, with spaces only between them',
  ],
])('the error about a wrong header does not quote its value (%#)', (headers, reason) => {
  expect(wrongOwnHeaders(headers)).toBe(reason)
})
