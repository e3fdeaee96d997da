import type { JsonObject } from '../../kernel/schema/index.ts'

/** A webhook as tables show it. */
export function briefWebhook({ id, name, url, kinds, body, enabled }: JsonObject): JsonObject {
  return { id, name, url, kinds, body, enabled }
}
