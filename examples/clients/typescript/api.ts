import createClient from 'openapi-fetch'
import type { paths } from './crm.ts'

const { CRM_BASE_URL = '', CRM_TOKEN = '' } = process.env
export const api = createClient<paths>({ baseUrl: CRM_BASE_URL, headers: { authorization: `Bearer ${CRM_TOKEN}` } })
export const onceOnly = () => ({ header: { 'Idempotency-Key': crypto.randomUUID() } })

/** The answer, unless it is a failure. */
export function answered<Data>({ data, error }: { data?: Data; error?: unknown }): Data {
  if (data === undefined) throw new Error(JSON.stringify(error))
  return data
}
