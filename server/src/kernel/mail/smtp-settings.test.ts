import { expect, test } from 'vitest'
import { isSender, parseSmtpUrl } from './smtp-settings.ts'

test.each([
  ['smtp://mail.example', { host: 'mail.example', port: 587, tls: 'upgraded', login: null }],
  ['smtp://mail.example:25', { host: 'mail.example', port: 25, tls: 'upgraded', login: null }],
  ['smtp://mail.example:25?tls=none', { host: 'mail.example', port: 25, tls: 'none', login: null }],
  ['smtp://127.0.0.1:25/', { host: '127.0.0.1', port: 25, tls: 'none', login: null }],
  ['smtp://localhost', { host: 'localhost', port: 587, tls: 'none', login: null }],
  ['smtps://[::1]', { host: '::1', port: 465, tls: 'implicit', login: null }],
  ['smtps://a%40b:c%3A%2F@mail.example', { login: { user: 'a@b', password: 'c:/' }, tls: 'implicit' }],
])('%s is read', (text, settings) => {
  expect(parseSmtpUrl(text)).toMatchObject(settings)
})

test.each([
  'mail.example:587',
  'https://mail.example',
  'smtp://',
  'smtp://user@mail.example',
  'smtp://:password@mail.example',
  'smtp://user:%E0@mail.example',
  'smtp://mail.example/inbox',
  'smtp://mail.example?tls=maybe',
  'smtps://mail.example?tls=none',
  'smtp://mail.example#from',
])('%s is refused', text => {
  expect(parseSmtpUrl(text)).toBeNull()
})

test.each([
  ['crm@example.com', true],
  ['CRM <crm@example.com>', true],
  ['<crm@example.com>', true],
  ['CRM', false],
  ['CRM <crm>', false],
  ['crm@example.com, other@example.com', false],
  ['CRM <crm@example.com>\nBcc: all@example.com', false],
])('mail can be from %j: %s', (text, can) => {
  expect(isSender(text)).toBe(can)
})
