import { createHash, randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'

/** An API token taken apart. Its form: `crm_<live|test>_<tokenId>_<secret>_<checksum>`, all base62. */
export interface ParsedToken {
  readonly tokenId: string
  readonly secret: string
}

const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const form = /^crm_(live|test)_([0-9A-Za-z]{12})_([0-9A-Za-z]{43})_([0-9A-Za-z]{6})$/u

/** A new token; the text is shown once, only `tokenId` and the hash of the secret are kept. */
export function createToken(environment: 'live' | 'test'): ParsedToken & { text: string } {
  const tokenId = base62(randomBytes(9), 12)
  const secret = base62(randomBytes(32), 43)
  const body = `crm_${environment}_${tokenId}_${secret}`
  return { tokenId, secret, text: `${body}_${checksum(body)}` }
}

/** null when the text is no token; the checksum finds most typing errors without a look-up. */
export function parseToken(text: string): ParsedToken | null {
  const match = form.exec(text)
  const [, , tokenId, secret, sum] = match ?? []
  if (tokenId === undefined || secret === undefined || sum === undefined) return null
  return checksum(text.slice(0, -7)) === sum ? { tokenId, secret } : null
}

export function hashSecret(secret: string): Buffer {
  return createHash('sha256').update(secret).digest()
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
