import { expect, test } from 'vitest'
import { composeInvitation, composeReset } from './compose.ts'

const link = 'https://crm.example/cabinet/reset#abc'
const facts = { email: 'ann@example.com', organization: 'Acme', expiresAt: '2026-03-09T10:00:00.000Z', link }

test.each([
  ['en', 'A new password for the CRM', 'Invitation to Acme', 'March 9, 2026'],
  ['de-CH', 'Ein neues Passwort für das CRM', 'Einladung zu Acme', '9. März 2026'],
  ['ru', 'Новый пароль для CRM', 'Приглашение в «Acme»', '9 марта 2026'],
  ['pt-BR', 'A new password for the CRM', 'Invitation to Acme', 'March 9, 2026'],
])('mails are in the language of the locale %s', (locale, reset, invitation, date) => {
  expect(composeReset(facts, locale).subject).toBe(reset)
  const invited = composeInvitation(facts, locale)
  expect(invited.subject).toBe(invitation)
  expect(invited.text).toContain(date)
  expect(invited.text).toContain(`\n\n${link}\n\n`)
})

test('a name is shown in one line, short, and as nothing that a program makes a link or a tag of', () => {
  const organization = `<b>Win\r\nBcc: x</b> https://evil.example/now ${'x'.repeat(200)}`
  const { subject, text, html } = composeInvitation({ ...facts, organization }, 'en')
  expect(subject).toMatch(/^Invitation to <b>Win Bcc: x<\/b> /u)
  expect(subject.length).toBeLessThan(100)
  for (const shown of [subject, text, html]) expect(shown).not.toMatch(/evil\.example|\/\/evil/u)
  expect(html).not.toContain('<b>')
})
