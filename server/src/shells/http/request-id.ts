import { randomUUID } from 'node:crypto'
import { limits } from '../../kernel/index.ts'
import { isUuid } from '../../kernel/schema/index.ts'

const safe = new RegExp(`^[A-Za-z0-9._:/@+=~-]{1,${limits.requestIdLength}}$`, 'u')

/** Gate 0: a safe `X-Request-Id` is echoed; the id in envelopes and events is a UUID, the client's if it sent one. */
export function assignRequestId(sent: unknown): { requestId: string; clientRequestId: string | null } {
  if (typeof sent !== 'string' || !safe.test(sent)) return { requestId: randomUUID(), clientRequestId: null }
  const requestId = sent.toLowerCase()
  // Written in capitals it is another text, which is echoed as it came.
  if (isUuid(sent)) return { requestId, clientRequestId: sent === requestId ? null : sent }
  return { requestId: randomUUID(), clientRequestId: sent }
}
