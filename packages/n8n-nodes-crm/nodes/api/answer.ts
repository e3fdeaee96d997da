import type { IDataObject } from 'n8n-workflow'

/** Whether a value is an object of JSON. */
export function isObject(value: unknown): value is IDataObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A server that asks for a longer rest is not waited for. */
const longestRest = 60

/** How many seconds to wait before the same request may be sent again: null if it may not, or should not be waited for. */
export function restBefore(status: number, headers: IDataObject, answer: unknown): number | null {
  const error = isObject(answer) && isObject(answer.error) ? answer.error : {}
  if (status !== 429 && status !== 503 && error.code !== 'idempotency_in_progress') return null
  const told = headers['retry-after']
  const seconds = typeof told === 'string' && /^\d+$/.test(told) ? Number(told) : 1
  return seconds <= longestRest ? seconds : null
}
