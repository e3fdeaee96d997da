import { generate } from 'selfsigned'
import { afterEach, expect, test } from 'vitest'
import { MailServer } from '../../../../test/support/mail-server.ts'
import { Mail, type MailOutcome } from './index.ts'

const message = { to: 'ann@example.com', subject: 'Grüße', text: 'Привет\n', html: '<p>Привет</p>' }
const servers: MailServer[] = []
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close()
})

async function started(options?: ConstructorParameters<typeof MailServer>[0]): Promise<MailServer> {
  const server = new MailServer(options)
  servers.push(server)
  await server.listen()
  return server
}

async function certified(name: string) {
  const { private: key, cert } = await generate([{ name: 'commonName', value: name }], {
    keyType: 'ec',
    algorithm: 'sha256',
    extensions: [
      { name: 'basicConstraints', cA: true },
      { name: 'subjectAltName', altNames: [{ type: 2, value: name }] },
    ],
  })
  return { key, cert }
}

const reasonOf = (work: Promise<unknown>) => work.then(() => 'it succeeded', String)

test('a mail arrives with both bodies, in any script, and is counted', async () => {
  const server = await started()
  const mail = new Mail(server.settings())
  const outcomes: MailOutcome[] = []
  mail.onAttempt = outcome => outcomes.push(outcome)
  expect(await mail.send(message)).toEqual({ outcome: 'sent' })
  expect(server.arrived).toMatchObject([message])
  server.status = 553
  expect(await mail.send(message)).toEqual({ outcome: 'refused', status: 553 })
  server.status = 452
  expect(await reasonOf(mail.send(message))).toBe('MailFailed: the mail server answered 452 (EENVELOPE)')
  expect(outcomes).toEqual(['sent', 'refused', 'failed'])
})

test('an address with a comma is one address', async () => {
  const server = await started()
  await new Mail(server.settings()).send({ ...message, to: 'ann,eve@example.com' })
  expect(server.arrived.map(({ to }) => to)).toEqual(['"ann,eve"@example.com'])
})

test.each(['implicit', 'upgraded'] as const)('a server with %s TLS is used if its certificate is good', async tls => {
  const { key, cert } = await certified('localhost')
  const server = await started({ key, cert, secure: tls === 'implicit', disabledCommands: [] })
  const settings = server.settings({ host: 'localhost', tls })
  expect(await reasonOf(new Mail(settings).send(message))).toMatch(/^MailFailed: .*(?:SELF_SIGNED|ETLS|ESOCKET)/u)
  const other = await certified('localhost')
  expect(await reasonOf(new Mail({ ...settings, authority: other.cert }).send(message))).toMatch(/^MailFailed/u)
  expect(server.arrived).toEqual([])
  await new Mail({ ...settings, authority: cert }).send(message)
  expect(server.arrived).toMatchObject([{ isEncrypted: true }])
})

test('a certificate for another host is refused', async () => {
  const { key, cert } = await certified('mail.example')
  const server = await started({ key, cert, secure: true })
  const settings = server.settings({ host: 'localhost', tls: 'implicit', authority: cert })
  expect(await reasonOf(new Mail(settings).send(message))).toMatch(/^MailFailed/u)
  expect(server.arrived).toEqual([])
})

test('a server that does not offer TLS is told neither user nor mail', async () => {
  const heard: unknown[] = []
  const onAuth: NonNullable<ConstructorParameters<typeof MailServer>[0]>['onAuth'] = (auth, _, callback) => {
    heard.push(auth)
    callback(null, { user: 'crm' })
  }
  const server = await started({ onAuth, allowInsecureAuth: true })
  const login = { user: 'crm', password: 'hidden' }
  const reason = await reasonOf(new Mail(server.settings({ tls: 'upgraded', login })).send(message))
  expect(reason).toMatch(/^MailFailed/u)
  expect([heard, server.arrived]).toEqual([[], []])
})

test('a wrong password is no refusal of the mail: the operator can mend it', async () => {
  const onAuth: NonNullable<ConstructorParameters<typeof MailServer>[0]>['onAuth'] = (auth, _, callback) =>
    auth.password === 'right' ? callback(null, { user: 'crm' }) : callback(new Error('hidden is wrong'))
  const server = await started({ onAuth, allowInsecureAuth: true, authOptional: false })
  const settings = (password: string) => server.settings({ login: { user: 'crm', password } })
  expect(await reasonOf(new Mail(settings('hidden')).send(message))).toBe(
    'MailFailed: the mail server answered 535 (EAUTH)',
  )
  const right = new Mail(settings('right'))
  expect(await right.check()).toMatch(/^127\.0\.0\.1:\d+ answers, and takes the user$/u)
  expect(await right.send(message)).toEqual({ outcome: 'sent' })
})

test('a sender that the server does not allow is no refusal of the mail, nor is an answer that a user is missing', async () => {
  for (const [status, reason] of [
    [553, 'sender not allowed'],
    [530, 'authentication required'],
  ] as const) {
    const onMailFrom: NonNullable<ConstructorParameters<typeof MailServer>[0]>['onMailFrom'] = (_, __, callback) =>
      callback(Object.assign(new Error(reason), { responseCode: status }))
    const server = await started({ onMailFrom })
    expect(await reasonOf(new Mail(server.settings()).send(message))).toBe(
      `MailFailed: the mail server answered ${status} (EENVELOPE)`,
    )
  }
})

test('a mail that names nobody is refused', async () => {
  const server = await started()
  expect(await new Mail(server.settings()).send({ ...message, to: '' })).toEqual({ outcome: 'refused', status: null })
})

test('a check says why a server cannot be reached', async () => {
  const server = await started()
  const mail = new Mail(server.settings())
  expect(await mail.check()).toMatch(/answers$/u)
  await server.close()
  expect(await reasonOf(mail.check())).toBe('MailFailed: the mail server could not be used: ECONNREFUSED')
})
