import { afterAll, beforeAll, beforeEach, onTestFinished, vi } from 'vitest'
import { statement } from '../../server/src/kernel/sql/index.ts'
import { webhookBounds } from '../../server/src/webhooks/bounds.ts'
import type { ExpiringWebhook } from '../../server/src/webhooks/expiring-events.ts'
import { Delivery } from '../../server/src/webhooks/index.ts'
import type { DeliveryObserver } from '../../server/src/webhooks/observer.ts'
import type { PausedWebhook } from '../../server/src/webhooks/pause-notices.ts'
import { startApi, type TestApi, TestClock } from '../support/api.ts'
import { aContact } from '../support/builders.ts'
import type { CalledServer, Received } from '../support/called-server.ts'
import { anOrganization, type TestOrganization } from '../support/organization.ts'
import { setBound } from '../support/set-bound.ts'
import { until } from '../support/waiting.ts'
import { aWebhook as createdWebhook } from '../support/webhooks.ts'

/** What the tests of one file share: an API whose clock they move. Each test has an organization. */
export interface Surroundings {
  readonly api: TestApi
  readonly clock: TestClock
  readonly organization: TestOrganization
}

export function useWebhooks(): Surroundings {
  const clock = new TestClock()
  let api: TestApi | undefined
  let organization: TestOrganization | undefined
  beforeAll(async () => {
    api = await startApi({ clock, outboundAllowedNetworks: ['127.0.0.0/8'] })
  })
  afterAll(() => api?.close())
  beforeEach(async () => {
    if (api !== undefined) organization = await anOrganization(api)
  })
  const given = <Value>(value: Value | undefined): Value => {
    if (value === undefined) throw new Error('no test has begun')
    return value
  }
  return {
    clock,
    get api() {
      return given(api)
    },
    get organization() {
      return given(organization)
    },
  }
}

/** A worker that delivers in the process of the test, and what it has failed in. */
export interface TestDelivery {
  readonly delivery: Delivery
  readonly failures: unknown[]
  readonly pauses: PausedWebhook[]
  readonly warnings: ExpiringWebhook[]
  stop(): Promise<void>
}

const silent: DeliveryObserver = { onCall: () => {}, onUnderWay: () => {} }

/** An interval in which no test sees a second look. */
export const noSecondLook = 3_600_000

/** Starts one on the database and with the clock of the API. It looks twenty times a second, unless a test says otherwise. */
export function startDelivery(
  { services }: Pick<TestApi, 'services'>,
  { observer = silent, interval = 50 }: { observer?: DeliveryObserver; interval?: number } = {},
): TestDelivery {
  setBound(webhookBounds.webhookPoll, interval)
  const failures: unknown[] = []
  const pauses: PausedWebhook[] = []
  const warnings: ExpiringWebhook[] = []
  const outbound = { allowedNetworks: ['127.0.0.0/8'] }
  const delivery = new Delivery({
    services,
    outbound,
    observer,
    onFailure: error => void failures.push(error),
    onPause: paused => void pauses.push(paused),
    onExpiring: expiring => void warnings.push(expiring),
  })
  delivery.start()
  let stopped: Promise<void> | undefined
  const stop = () => (stopped ??= delivery.stop())
  onTestFinished(stop)
  return { delivery, failures, pauses, warnings, stop }
}

/** A webhook of the application of the organization that begins here. */
export async function aWebhook(
  { api, organization }: Surroundings,
  { port }: Pick<CalledServer, 'port'>,
  asked: Parameters<typeof createdWebhook>[2] = {},
): Promise<string> {
  const { id } = await createdWebhook(api.test, organization, { url: `http://127.0.0.1:${port}/hook`, ...asked })
  return id
}

const raise = statement(
  'test_raise_for_webhooks',
  'update installation set generation = generation + 1 where singleton',
)

/** Tells every worker that settings have changed. */
export async function administered({ test }: Pick<TestApi, 'test'>): Promise<void> {
  await test.database.query(raise, [])
}

const selectPosition = statement(
  'test_select_webhook_position',
  `select p.token::integer as token, p.settled_seq::integer as seq, p.state, p.reason, p.failures, p.resume_at, p.epoch
     from webhook_positions p where p.organization_id = $1 and p.subscription_id = $2`,
)

/** The stored position of a webhook; null before it was taken. */
export async function positionOf({ api, organization }: Surroundings, id: string) {
  const [row] = await api.test.database.query(selectPosition, [organization.id, id])
  return row ?? null
}

/** Waits until the position has these values. */
export async function untilPosition(
  around: Surroundings,
  id: string,
  wanted: Readonly<Record<string, unknown>>,
): Promise<void> {
  await until(`the position ${JSON.stringify(wanted)}`, async () => {
    const row = await positionOf(around, id)
    return row !== null && Object.entries(wanted).every(([name, value]) => row[name] === value)
  })
}

/** Creates a contact; returns its id. */
export async function aNewContact({ organization }: Pick<Surroundings, 'organization'>): Promise<string> {
  const { data } = await organization.client.post('/contacts', aContact())
  return String(data.id)
}

export interface ReceivedEvent {
  readonly type: string
  readonly seq: number
  readonly resourceId: string
  readonly data: Readonly<Record<string, unknown>>
}

/** The event in a received request. */
export function eventIn({ body }: Received): ReceivedEvent {
  const { type, data } = JSON.parse(body)
  return { type, seq: data.seq, resourceId: data.resourceId, data }
}

/** Calls `before` with the name and the values of each statement that services run as their own, before it runs. Once in a test. */
export function beforeStatements(
  { api }: Surroundings,
  before: (name: string, values: readonly unknown[]) => Promise<void> | void,
): void {
  const { database } = api.services
  if (vi.isMockFunction(database.query)) throw new Error('another function is called before statements')
  const query = database.query.bind(database)
  const spy = vi.spyOn(database, 'query').mockImplementation(async (asked, values, ...others) => {
    await before(asked.name === '' ? (/name: (\S+)/u.exec(asked.text)?.[1] ?? '') : asked.name, values)
    return query(asked, values, ...others)
  })
  onTestFinished(() => spy.mockRestore())
}

/** Waits until the worker has begun so many more looks at the heads of all feeds: by the second one, it has ended one that began from now on. */
export async function untilLooks(around: Surroundings, count: number): Promise<void> {
  let looks = 0
  beforeStatements(around, name => {
    if (name === 'select_heads_for_webhooks') looks += 1
  })
  await until(`${count} looks`, () => looks >= count)
}

const selectWaiting = statement(
  'test_settlements_that_wait',
  `select 1 as waits from pg_stat_activity where wait_event_type = 'Lock' and query like '-- name: settle_webhook_deliveries%'`,
)

/** Waits until a settlement of a worker waits for a row that the test has locked. */
export async function untilSettlementWaits({ api }: Pick<Surroundings, 'api'>): Promise<void> {
  await until('a settlement that waits', async () => (await api.test.database.search(selectWaiting, [])).length > 0)
}
