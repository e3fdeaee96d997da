import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { statement } from '../../server/src/kernel/sql/index.ts'
import { createResetLink } from '../../server/src/people/index.ts'
import { startApi, type TestApi, TestClock } from '../support/api.ts'
import { Browser } from '../support/browser.ts'
import { runJobs } from '../support/jobs.ts'
import { linkIn, MailServer } from '../support/mail-server.ts'
import { anOrganization } from '../support/organization.ts'
import { aCode, aFactor, aMembership, aSignedInBrowser, aUser, testPassword } from '../support/people.ts'
import { until } from '../support/waiting.ts'

const clock = new TestClock()
const server = new MailServer()
let api: TestApi
beforeAll(async () => {
  await server.listen()
  api = await startApi({ clock, smtp: server.settings(), publicBaseUrl: 'https://crm.example/' })
})
afterAll(async () => {
  const { failures } = api
  await api.close()
  await server.close()
  expect(failures).toEqual([])
})
beforeEach(() => {
  server.arrived.length = 0
  server.status = null
  clock.advance(3_600_000)
})

const password = 'nine quiet harbours'

// The pages are served under the name that links have.
const aBrowser = () => new Browser(api)
const ask = (email: string, headers: Record<string, string> = {}) => aBrowser().post('/resets', { email }, { headers })
const use = (browser: Browser, link: string, given: object = {}) => browser.post('/links/use', { link, ...given })

const selectUser = statement('test_user_of_mail', 'select u.proven from users u where lower(u.email) = lower($1)')
const isProven = async (email: string) => (await api.test.database.query(selectUser, [email]))[0]?.proven
const selectQueue = statement(
  'test_queue_of_mail',
  `select t.identifier as job, j.payload::text as payload, j.key, j.attempts, j.last_error as error
     from graphile_worker._private_jobs j join graphile_worker._private_tasks t on t.id = j.task_id order by j.id`,
)
const moveUser = statement('test_move_user', 'update users set email = $2 where id = $1')
const dropJobs = statement('test_drop_mail', 'delete from graphile_worker._private_jobs')
const selectWaiting = statement(
  'test_jobs_that_wait',
  `select a.pid from pg_stat_activity a where a.datname = current_database() and a.wait_event_type = 'Lock'`,
)
const queued = () => api.test.database.query(selectQueue, [])
const selectEvents = statement(
  'test_events_of_mail',
  `select e.event, e.detail from account_events e where e.user_id = $1 and e.event like 'mail%' order by e.id`,
)

describe('who has forgotten the password', () => {
  test('gets a link by mail, in the language of the account, that sets another one once', async () => {
    const user = await aUser(api, { proven: false })
    await api.test.database.query(statement('test_speak_german', "update users set locale = 'de-AT' where id = $1"), [
      user.id,
    ])
    const session = await aSignedInBrowser(api, user)
    expect((await ask(user.email)).status).toBe(202)
    await runJobs(api)
    expect(server.arrived).toMatchObject([{ to: user.email, subject: 'Ein neues Passwort für das CRM' }])
    const [mail] = server.arrived
    const { address, link } = linkIn(mail ?? { ...noMail })
    expect(address).toBe(`https://crm.example/cabinet/reset#${link}`)
    expect(mail?.html).toContain(`<a href="${address}">Passwort festlegen</a>`)
    expect((await use(aBrowser(), link, { password })).data.user).toMatchObject({ id: user.id })
    expect((await use(aBrowser(), link, { password })).status).toBe(410)
    expect((await session.get('/session')).status).toBe(401)
    expect(await isProven(user.email)).toBe(true)
    expect(await api.test.database.query(selectEvents, [user.id])).toEqual([
      { event: 'mail_sent', detail: { kind: 'reset' } },
    ])
  })

  test('needs the second factor all the same', async () => {
    const user = await aUser(api, { factor: aFactor })
    await ask(user.email)
    await runJobs(api)
    const { link } = linkIn(server.arrived[0] ?? noMail)
    expect((await use(aBrowser(), link, { password })).error.code).toBe('second_factor_required')
    const code = await aCode(clock.now())
    expect((await use(aBrowser(), link, { password, code })).status).toBe(200)
  })

  test('is told the same, and makes the server do the same, whether or not there is such an account', async () => {
    const [user, gone] = [await aUser(api), await aUser(api, { active: false })]
    const addresses = [user.email, gone.email, 'nobody@example.com']
    const answers = await Promise.all(addresses.map(email => ask(email)))
    expect(answers.map(({ status, text }) => [status, text])).toEqual(addresses.map(() => [202, answers[0]?.text]))
    const jobs = (await queued()).filter(({ job }) => job === 'reset_mail')
    expect(jobs).toHaveLength(3)
    // Neither the queue nor a backup of it has an address or a link.
    expect(JSON.stringify(jobs)).not.toMatch(/@|#/u)
    const [shape, ...others] = jobs.map(({ payload }) => String(payload).replaceAll(/[0-9a-f]/gu, 'x'))
    expect(others).toEqual([shape, shape])
    await runJobs(api)
    expect(server.arrived.map(({ to }) => to)).toEqual([user.email])
    expect(await queued()).toEqual([])
  })

  test('is mailed once a minute and five times an hour, however the address is written', async () => {
    const user = await aUser(api)
    const sent: number[] = []
    for (const seconds of [0, 59, 1, 60, 60, 60, 60, 600, 3600]) {
      clock.advance(seconds * 1000)
      expect((await ask(sent.length % 2 === 0 ? user.email : ` ${user.email.toUpperCase()} `)).status).toBe(202)
      await runJobs(api)
      sent.push(server.arrived.length)
    }
    expect(sent).toEqual([1, 1, 2, 3, 4, 5, 5, 5, 6])
  })

  test('gets a new link with each mail, and the one before is no longer good', async () => {
    const user = await aUser(api)
    for (const wait of [0, 60_000]) {
      clock.advance(wait)
      await ask(user.email)
      await runJobs(api)
    }
    const [first, second] = server.arrived.map(mail => linkIn(mail).link)
    expect((await use(aBrowser(), String(first), { password })).status).toBe(410)
    expect((await use(aBrowser(), String(second), { password })).status).toBe(200)
  })

  test('keeps the link that the operator has made, whatever becomes of the mail', async () => {
    const user = await aUser(api)
    const { text } = await createResetLink({ ...api.test, clock }, user.id)
    for (const status of [null, 451]) {
      server.status = status
      clock.advance(60_000)
      await ask(user.email)
      await runJobs(api)
    }
    await api.test.database.query(dropJobs, [])
    expect((await use(aBrowser(), text, { password })).status).toBe(200)
    expect((await use(aBrowser(), linkIn(server.arrived[0] ?? noMail).link, { password })).status).toBe(410)
  })

  test('gets no link at an address that is taken from the account at that moment', async () => {
    const user = await aUser(api)
    await ask(user.email)
    const transaction = await api.test.database.begin()
    await transaction.query(moveUser, [user.id, 'moved@example.com'])
    const running = runJobs(api)
    await until('the job waits for the user', async () => (await api.test.database.query(selectWaiting, [])).length > 0)
    await transaction.commit()
    await running
    expect(server.arrived.map(({ to }) => to)).toEqual(['moved@example.com'])
    const { link } = linkIn(server.arrived[0] ?? noMail)
    await api.test.database.query(moveUser, [user.id, 'moved-again@example.com'])
    expect((await use(aBrowser(), link, { password })).status).toBe(410)
  })

  test('is mailed once, also if the log of accounts cannot be written', async () => {
    const user = await aUser(api)
    await ask(user.email)
    await api.test.database.script(
      'alter table account_events add constraint test_full check (event not like $$mail%$$) not valid',
    )
    const { ended } = await runJobs(api)
    await api.test.database.script('alter table account_events drop constraint test_full')
    expect([ended, server.arrived]).toMatchObject([[{ outcome: 'done' }], [{ to: user.email }]])
    expect(api.failures.splice(0)).toMatchObject([
      { error: { constraint: expect.stringMatching(/^test_full/u) }, facts: { job: 'note of a mail' } },
    ])
  })

  test('cannot ask from one network address more than ten times a minute', async () => {
    const statuses: number[] = []
    for (let each = 0; each < 12; each += 1) statuses.push((await ask(`many-${each}@example.com`)).status)
    expect(statuses).toEqual([...Array.from({ length: 10 }, () => 202), 429, 429])
    expect((await ask('many@example.com')).error.code).toBe('rate_limit_exceeded')
  })

  test('is not mailed an hour later, when a worker has been away', async () => {
    const user = await aUser(api)
    await ask(user.email)
    clock.advance(3_600_001)
    await runJobs(api)
    expect([server.arrived, await queued()]).toEqual([[], []])
  })
})

const noMail = { to: '', subject: '', text: '', html: '', isEncrypted: false }

describe('a mail server', () => {
  const hurry = statement(
    'test_hurry_mail',
    'update graphile_worker._private_jobs set run_at = now() where locked_at is null',
  )

  test('that is down is tried again, and then the mail has a link that works', async () => {
    const user = await aUser(api)
    await server.close()
    await ask(user.email)
    const { ended } = await runJobs(api)
    expect(ended).toMatchObject([{ job: 'reset_mail', outcome: 'failed', attempt: 1 }])
    const [waiting] = await queued()
    expect(waiting).toMatchObject({ attempts: 1, error: 'MailFailed: see the log' })
    // What the log has names neither an address nor a link.
    expect(String(ended[0]?.error)).toBe('MailFailed: the mail server could not be used: ECONNREFUSED')
    await server.listen()
    await api.test.database.query(hurry, [])
    await runJobs(api)
    expect(server.arrived).toHaveLength(1)
    const { link } = linkIn(server.arrived[0] ?? noMail)
    expect((await use(aBrowser(), link, { password })).status).toBe(200)
  })

  test('that asks to try later is tried again, and at last the job has failed', async () => {
    const user = await aUser(api)
    server.status = 451
    await ask(user.email)
    for (let attempt = 1; attempt <= 8; attempt += 1) {
      const { ended } = await runJobs(api)
      expect(ended).toMatchObject([{ outcome: 'failed', attempt }])
      expect(String(ended[0]?.error)).toBe('MailFailed: the mail server answered 451 (EENVELOPE)')
      await api.test.database.query(hurry, [])
    }
    expect((await runJobs(api)).ended).toEqual([])
    await api.test.database.query(dropJobs, [])
  })

  test('that refuses the address is not tried again, and the log of accounts says so', async () => {
    const user = await aUser(api)
    server.status = 550
    await ask(user.email)
    const { ended } = await runJobs(api)
    expect([ended, await queued()]).toMatchObject([[{ outcome: 'done' }], []])
    expect(await api.test.database.query(selectEvents, [user.id])).toEqual([
      { event: 'mail_refused', detail: { kind: 'reset', status: 550 } },
    ])
  })
})

describe('an invitation', () => {
  async function anOwner() {
    const organization = await anOrganization(api)
    const user = await aUser(api)
    await aMembership(api, user, organization.id, 'owner')
    return { id: organization.id, browser: await aSignedInBrowser(api, user) }
  }
  const invite = ({ id, browser }: Awaited<ReturnType<typeof anOwner>>, email: string) =>
    browser.post(`/o/${id}/members`, { email, name: 'Click https://evil.example', role: 'member' })
  let people = 0
  const aPerson = () => `invited-${(people += 1)}@example.com`
  const copied = (link: unknown) => String(link).split('#')[1] ?? ''

  test('is mailed with a link of its own, whose account is proven and may join another organization', async () => {
    const [first, second, email] = [await anOwner(), await anOwner(), aPerson()]
    const invited = await invite(first, email)
    expect(invited).toMatchObject({ status: 201, data: { mailed: true } })
    await runJobs(api)
    const [mail = noMail] = server.arrived
    expect(mail).toMatchObject({ to: email, subject: expect.stringMatching(/^Invitation to /u) })
    expect(mail.text).not.toContain('evil')
    const { address, link } = linkIn(mail)
    expect(address).toMatch(/^https:\/\/crm\.example\/cabinet\/join#/u)
    expect(link).not.toBe(copied(invited.data.link))
    const browser = aBrowser()
    expect((await use(browser, link, { name: 'Ben', password })).status).toBe(200)
    expect(await isProven(email)).toBe(true)
    expect((await use(aBrowser(), copied(invited.data.link), { name: 'Eve', password })).status).toBe(410)
    const next = await invite(second, email)
    expect((await use(browser, copied(next.data.link))).status).toBe(200)
  })

  test('whose shown link is used first makes an account that is not proven, and the mailed one is no longer good', async () => {
    const [owner, email] = [await anOwner(), aPerson()]
    const invited = await invite(owner, email)
    await runJobs(api)
    expect((await use(aBrowser(), copied(invited.data.link), { name: 'Ben', password })).status).toBe(200)
    expect(await isProven(email)).toBe(false)
    expect((await use(aBrowser(), linkIn(server.arrived[0] ?? noMail).link, { name: 'Ben', password })).status).toBe(
      410,
    )
  })

  test('proves the account that accepts it with the mailed link', async () => {
    const [first, second, email] = [await anOwner(), await anOwner(), aPerson()]
    const shown = await invite(first, email)
    await use(aBrowser(), copied(shown.data.link), { name: 'Ben', password })
    const again = await invite(second, email)
    await runJobs(api)
    const browser = aBrowser()
    await browser.signIn(email, password)
    // The inviter, who sees the link, gains nothing by it.
    expect((await use(browser, copied(again.data.link))).status).toBe(422)
    const mailed = server.arrived.at(-1) ?? noMail
    expect((await use(browser, linkIn(mailed).link)).status).toBe(200)
    expect(await isProven(email)).toBe(true)
  })

  test('that is canceled before it was mailed is not, and one that was mailed is no longer good', async () => {
    const [owner, email, other] = [await anOwner(), aPerson(), aPerson()]
    const idOf = async (address: string) => {
      const { items } = await owner.browser.get(`/o/${owner.id}/members`)
      return String(items.find(each => each.email === address)?.invitationId)
    }
    await invite(owner, email)
    await owner.browser.delete(`/o/${owner.id}/invitations/${await idOf(email)}`)
    await invite(owner, other)
    await runJobs(api)
    expect(server.arrived.map(({ to }) => to)).toEqual([other])
    await owner.browser.delete(`/o/${owner.id}/invitations/${await idOf(other)}`)
    const { link } = linkIn(server.arrived[0] ?? noMail)
    expect((await use(aBrowser(), link, { name: 'Ben', password })).status).toBe(410)
  })

  test('is mailed to one person once a minute, and a hundred times an hour for one organization', async () => {
    const [owner, email] = [await anOwner(), aPerson()]
    const mailed = async (address: string) => (await invite(owner, address)).data.mailed
    expect([await mailed(email), await mailed(email.toUpperCase())]).toEqual([true, false])
    clock.advance(60_000)
    expect(await mailed(email)).toBe(true)
    const slot = api.services.secret.slot(`invitations to ${owner.id}`)
    await api.test.database.query(statement('test_many_mails', 'update mail_counts set asked = 100 where slot = $1'), [
      slot,
    ])
    expect(await mailed(aPerson())).toBe(false)
  })
})

test('addresses without end fill no more than the slots that there are', async () => {
  await api.test.database.script(
    `insert into mail_counts select s, now(), 1, '2020-01-01' from generate_series(0, 65535) s on conflict do nothing`,
  )
  for (let each = 0; each < 5; each += 1) await ask(`another-${each}@example.com`)
  const [row] = await api.test.database.query(
    statement('test_slots', 'select count(*)::integer as count from mail_counts'),
    [],
  )
  expect(row?.count).toBe(65_536)
  await runJobs(api)
})

test('pages learn before the sign-in whether links come by mail', async () => {
  expect((await aBrowser().get('/entrance')).data).toEqual({ mail: true })
  const silent = await startApi({ beside: api, clock })
  expect((await new Browser(silent).get('/entrance')).data).toEqual({ mail: false })
  const user = await aUser(api)
  expect((await new Browser(silent).post('/resets', { email: user.email })).status).toBe(202)
  expect(await queued()).toEqual([])
  await silent.close()
  expect((await aBrowser().signIn(user.email, testPassword)).status).toBe(200)
})
