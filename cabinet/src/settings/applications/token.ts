import type { Text } from '../../words/index.ts'

/** An application as the settings list it. */
export interface Application {
  readonly id: string
  readonly version: number
  readonly name: string
  readonly rateRead: number
  readonly rateWrite: number
  readonly enabled: boolean
}

/** A token as the settings list it: without its secret. */
export interface Token {
  readonly id: string
  readonly version: number
  readonly applicationId: string
  readonly name: string
  readonly scopes: readonly string[]
  readonly cidrs: readonly string[]
  readonly expiresAt: string | null
  readonly revokedAt: string | null
  /** The token that it has replaced. */
  readonly rotatedFrom: string | null
  readonly lastUsedAt: string | null
  readonly lastUsedIp: string | null
  readonly lastRefusedAt: string | null
  readonly lastRefusedIp: string | null
  readonly lastRefusedReason: string | null
}

/** A new token with its text, which no other answer has. */
export interface NewToken {
  readonly id: string
  readonly name: string
  readonly token: string
  readonly scopes: readonly string[]
  readonly cidrs: readonly string[]
  readonly expiresAt: string | null
  /** The token that it replaces, and until when that one is good as well. */
  readonly replaces?: { readonly id: string; readonly validUntil: string }
}

/** Why a token was refused, in the words of the pages. */
export const refusalWords: Readonly<Record<string, Text>> = {
  unknown: 'its secret was wrong',
  revoked: 'it was revoked',
  expired: 'it had expired',
  application_disabled: 'the application was disabled',
  network: 'it came from another network',
}

/** Whether a token is accepted now. */
export function isValidToken({ revokedAt, expiresAt }: Pick<Token, 'revokedAt' | 'expiresAt'>, now: Date): boolean {
  return revokedAt === null && (expiresAt === null || Date.parse(expiresAt) > now.getTime())
}

const lists = ['contacts', 'companies', 'deals', 'tasks']

/** A line for a shell that proves that a token works: it reads three records of a kind that it may read, or what the API can do. */
export function curlLine(origin: string, { token, scopes }: Pick<NewToken, 'token' | 'scopes'>): string {
  const list = lists.find(each => scopes.includes(`crm_${each}_read`))
  const path = list === undefined ? 'capabilities' : `${list}?limit=3`
  return `curl -H "Authorization: Bearer ${token}" "${origin}/api/v1/crm/${path}"`
}
