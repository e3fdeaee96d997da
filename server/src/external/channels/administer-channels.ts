import { randomUUID } from 'node:crypto'
import {
  Configurations,
  changeAll,
  creating,
  malformed,
  mutate,
  notFound,
  type RecordChange,
  Refusal,
  readSettings,
  removing,
  type Secret,
  systemClock,
  unattended,
  updating,
  type Writer,
} from '../../kernel/index.ts'
import { isObject, isUuid, type JsonObject } from '../../kernel/schema/index.ts'
import type { Database } from '../../kernel/sql/index.ts'
import { channel } from './channel.ts'

/** What commands do to channels: no route makes, changes or removes one (contract section 16). Refusals are returned. */

interface Installation {
  readonly database: Database
  readonly secret: Secret
}

const kinds = { resources: [channel], nestedResources: [] }

/** Makes a channel of an organization that there is, with an AI operator that is switched off. `input` has its fields. */
export async function createChannel(
  installation: Installation,
  organizationId: string,
  input: JsonObject,
): Promise<{ id: string } | Refusal> {
  const { value, issues } = channel.input.create.parse(given(input))
  if (issues.length > 0) return malformed(issues)
  return change(installation, organizationId, creating(channel, objectOf(value), kinds))
}

/** Changes what `input` names of a channel; its type stays what it is. */
export async function setChannel(
  installation: Installation,
  organizationId: string,
  id: string,
  input: JsonObject,
): Promise<{ id: string } | Refusal> {
  const { value, issues } = channel.input.patch.parse(given(input))
  if (issues.length > 0) return malformed(issues)
  // As of other settings: whoever names nothing has forgotten something.
  if (Object.keys(given(input)).length === 0)
    return malformed([{ path: '', rule: 'required', message: 'nothing to change was given' }])
  return change(installation, organizationId, updating(channel, id.toLowerCase(), objectOf(value), kinds))
}

/** Removes a channel together with its AI operator. */
export async function removeChannel(
  installation: Installation,
  organizationId: string,
  id: string,
): Promise<{ id: string } | Refusal> {
  const removal = removing(channel, id.toLowerCase(), null, kinds)
  const outcome = await mutate(removal, writerOf(organizationId), servicesOf(installation))
  return outcome instanceof Refusal ? outcome : { id: id.toLowerCase() }
}

/** The channels of an organization, the oldest first, as the API shows them. */
export async function listChannels({ database }: Installation, organizationId: string): Promise<readonly JsonObject[]> {
  return readSettings(channel, organizationId, database)
}

/** One of them. */
export async function showChannel(
  installation: Installation,
  organizationId: string,
  id: string,
): Promise<JsonObject | Refusal> {
  const channels = isUuid(id) ? await listChannels(installation, organizationId) : []
  return channels.find(each => each.id === id.toLowerCase()) ?? notFound()
}

async function change(
  installation: Installation,
  organizationId: string,
  asked: RecordChange,
): Promise<{ id: string } | Refusal> {
  const [step] = await changeAll([asked], writerOf(organizationId), servicesOf(installation))
  if (step === undefined) throw new Error('nothing was decided')
  return step instanceof Refusal ? step : { id: step.record.id }
}

function servicesOf({ database, secret }: Installation) {
  return { database, secret, clock: systemClock, configurations: new Configurations(database), ...kinds }
}

function writerOf(organizationId: string): Writer {
  return {
    organizationId,
    author: { type: 'system', uuid: null, jobId: null },
    applicationId: null,
    requestId: randomUUID(),
    clientRequestId: null,
    idempotency: null,
    managesCustomFields: true,
    reader: unattended(organizationId),
  }
}

function given(input: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined))
}

function objectOf(value: unknown): JsonObject {
  return isObject(value) ? value : {}
}
