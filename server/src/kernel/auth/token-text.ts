import { hash, randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'

/**
 * A parsed token. Its form: `crm_<live|test|metrics>_<tokenId>_<secret>_<checksum>`, all base62. `metrics` gives access to no route of the
 * API.
 */
export interface ParsedToken {
  readonly environment: 'live' | 'test' | 'metrics'
  readonly tokenId: string
  readonly secret: string
}

const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const form = /^crm_(live|test|metrics)_([0-9A-Za-z]{12})_([0-9A-Za-z]{43})_([0-9A-Za-z]{6})$/u

/** Makes a new token. The text is shown once; only `tokenId` and the hash of the secret are stored. */
export function newTokenText(environment: ParsedToken['environment']): ParsedToken & { text: string } {
  const parts = { environment, tokenId: base62(randomBytes(9), 12), secret: base62(randomBytes(32), 43) }
  return { ...parts, text: tokenText(parts) }
}

/** The text of a token. Its checksum is not a secret: anybody can make a well-formed text. */
export function tokenText({ environment, tokenId, secret }: ParsedToken): string {
  const body = `crm_${environment}_${tokenId}_${secret}`
  return `${body}_${checksum(body)}`
}

/** Parses the text of a token; null if it is not a token. The checksum catches most typing errors without a look-up. */
export function parseToken(text: string): ParsedToken | null {
  const [, word, tokenId, secret] = form.exec(text) ?? []
  if (tokenId === undefined || secret === undefined) return null
  const parts = { environment: word === 'test' || word === 'metrics' ? word : 'live', tokenId, secret } as const
  return tokenText(parts) === text ? parts : null
}

/** The stored hash of a token's secret. The secret is random and long, so one round of SHA-256 keeps it safe. */
export function hashSecret(secret: string): Buffer {
  return hash('sha256', secret, 'buffer')
}

function checksum(text: string): string {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(crc32(text))
  return base62(bytes, 6)
}

function base62(bytes: Uint8Array, length: number): string {
  let value = BigInt(`0x${Buffer.from(bytes).toString('hex')}`)
  let text = ''
  while (text.length < length) {
    text = (digits[Number(value % 62n)] ?? '') + text
    value /= 62n
  }
  return text
}
