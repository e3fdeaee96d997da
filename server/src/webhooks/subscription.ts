import { type Services, unattended } from '../kernel/index.ts'
import type { OrganizationSettings } from '../kernel/schema/index.ts'
import type { Row } from '../kernel/sql/index.ts'
import { type AskedRecords, askedRecords } from './asked-records.ts'
import { type Receiver, receiverOf } from './receiver.ts'
import { type Principal, type Rights, rightsOf, type WebhookToken } from './rights.rules.ts'
import { selectSubscriptions, selectTokens } from './subscriptions.sql.ts'
import { withoutStar } from './wanted-events.rules.ts'

/** A webhook as its settings say, with the tokens that its rights follow from. Secrets are plain. */
export interface Subscription {
  readonly organizationId: string
  readonly id: string
  readonly applicationId: string
  readonly version: number
  readonly kinds: readonly string[]
  readonly changedFields: readonly string[]
  readonly skipsOwnChanges: boolean
  readonly concurrency: number
  readonly resumedAt: string | null
  readonly fromSeq: number
  readonly fromEpoch: number
  readonly principal: Principal
  /** The settings of its organization that the presentation of records depends on. */
  readonly organization: OrganizationSettings
  /** Whether its bodies have the record. */
  readonly isFull: boolean
  /** The records that its filters choose; null: all. */
  readonly records: AskedRecords | null
  /** Whether this version has the filters that it asks for. */
  readonly isSupported: boolean
  /** null if the server cannot read a stored secret, or there is none. */
  readonly receiver: Receiver | null
  /** When the last of its secrets, the former one, ends; null if there is only one. */
  readonly overlapsUntil: number | null
}

type Needed = Pick<Services, 'database' | 'secret' | 'clock' | 'resources' | 'configurations'>

/** Reads webhooks of an organization and the tokens of their applications. Those that ended or pause are missing. */
export async function readSubscriptions(
  organizationId: string,
  ids: readonly string[],
  services: Needed,
): Promise<Subscription[]> {
  const reader = unattended(organizationId)
  const rows = await services.database.query(selectSubscriptions, [organizationId, ids], reader)
  if (rows.length === 0) return []
  const applicationIds = [...new Set(rows.map(({ application_id: id }) => String(id)))]
  const tokens = await services.database.query(selectTokens, [organizationId, applicationIds], reader)
  const { organization } = await services.configurations.fresh(reader)
  return rows.map(row => toSubscription(organization, row, tokens, services))
}

function toSubscription(
  organization: OrganizationSettings,
  row: Row,
  tokens: readonly Row[],
  services: Needed,
): Subscription {
  const { id: organizationId } = organization
  const id = String(row.id)
  const applicationId = String(row.application_id)
  const { former_secret_until: until } = row
  const records = askedRecords(row.filter, texts(row.kinds), services)
  return {
    organizationId,
    id,
    applicationId,
    version: Number(row.version),
    kinds: withoutStar(
      texts(row.kinds),
      services.resources.filter(each => each.isSynchronized).map(({ kind }) => kind),
    ),
    changedFields: texts(row.changed_fields),
    skipsOwnChanges: row.own_changes === 'skip',
    concurrency: Number(row.concurrency),
    resumedAt: typeof row.resumed_at === 'string' ? row.resumed_at : null,
    fromSeq: Number(row.from_seq),
    fromEpoch: Number(row.from_epoch),
    principal: {
      isApplicationEnabled: row.application_enabled === true,
      crmProvider: String(row.crm_provider),
      tokens: tokens.filter(token => token.application_id === applicationId).map(toToken),
      tokenId: typeof row.token_id === 'string' ? row.token_id : null,
      scopes: texts(row.scopes),
      despiteNetworks: row.despite_networks === true,
    },
    organization,
    isFull: row.body === 'full',
    records: records ?? null,
    isSupported: records !== undefined,
    receiver: readableReceiver(row, { organizationId, id }, services),
    overlapsUntil: typeof until === 'string' ? Date.parse(until) : null,
  }
}

function readableReceiver(
  row: Row,
  place: { readonly organizationId: string; readonly id: string },
  { secret, clock }: Needed,
): Receiver | null {
  try {
    const receiver = receiverOf(row, place, secret, clock.now())
    return receiver.secrets.length === 0 ? null : receiver
  } catch {
    return null
  }
}

/** What a webhook may show now, or why nothing may leave. A filter that this version does not have must not send it everything. */
export function standingOf(subscription: Subscription, now: number): Rights {
  const { principal, receiver, isSupported, records } = subscription
  if (!isSupported) return { reason: 'unsupported' }
  if (receiver === null) return { reason: 'secret_unreadable' }
  const rights = rightsOf(principal, now)
  if ('reason' in rights) return rights
  // What is sent would tell what these scopes hide.
  return lackingScopes(records, rights.scopes).length === 0 ? rights : { reason: 'filter_scopes' }
}

/** The scopes that the filters of a webhook need and that it has not at this time. Empty if its rights cannot be told: it has another reason to wait. */
export function missingFilterScopes({ principal, records }: Subscription, now: number): string[] {
  const rights = rightsOf(principal, now)
  return 'reason' in rights ? [] : lackingScopes(records, rights.scopes)
}

function lackingScopes(records: AskedRecords | null, scopes: ReadonlySet<string>): string[] {
  return [...new Set(records?.scopes)].filter(scope => !scopes.has(scope))
}

/** The secrets with which a message is signed now: after a rotation, the former one too for a while. */
export function secretsAt({ secrets }: Receiver, overlapsUntil: number | null, now: number): readonly string[] {
  return overlapsUntil !== null && now >= overlapsUntil ? secrets.slice(0, 1) : secrets
}

function toToken(row: Row): WebhookToken {
  return {
    id: String(row.id),
    scopes: texts(row.scopes),
    expiresAt: typeof row.expires_at === 'string' ? Date.parse(row.expires_at) : null,
    isRevoked: row.revoked_at !== null,
    rotatedFrom: typeof row.rotated_from === 'string' ? row.rotated_from : null,
    hasNetworks: texts(row.cidrs).length > 0,
  }
}

function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : []
}
