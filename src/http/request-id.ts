import { randomUUID } from 'node:crypto'
import { isUuid } from '../kernel/schema/index.ts'

const safe = /^[A-Za-z0-9._:/@+=~-]{1,128}$/u

/** Gate 0: a safe `X-Request-Id` is echoed; the id in envelopes and events is a UUID, the client's if it sent one. */
export function assignRequestId(sent: unknown): { requestId: string; clientRequestId: string | null } {
  if (typeof sent !== 'string' || !safe.test(sent)) return { requestId: randomUUID(), clientRequestId: null }
  if (isUuid(sent)) return { requestId: sent.toLowerCase(), clientRequestId: sent }
  return { requestId: randomUUID(), clientRequestId: sent }
}
