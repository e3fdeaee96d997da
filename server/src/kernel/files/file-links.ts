import { timingSafeEqual } from 'node:crypto'
import type { Secret } from '../encryption/secret.ts'

/** What a link leads to, and whom it was shown to. */
export interface LinkedFile {
  readonly organizationId: string
  /** The id of the file. */
  readonly id: string
  /** The record that the file is of: an attachment, an export or an import. */
  readonly resourceId: string
  /** The token that the link was shown to. The link ends with it. */
  readonly tokenId: string
  /** The scopes that the token has to have for as long as it has the link. */
  readonly scopes: readonly string[]
}

/** How long a link is good. */
interface Lifetime {
  /** The most seconds. */
  readonly seconds: number
  /** When the token that it is shown to expires, and when the file is removed; null or absent where that is open. */
  readonly ends?: readonly (string | null)[]
  /** Milliseconds. */
  readonly now: number
}

/** A link as an answer shows it. */
export interface ShownLink {
  readonly url: string
  /** Whole seconds. */
  readonly expiresInSeconds: number
}

/** The path of all links to files. */
export const filesPath = '/files'

const [idBytes, timeBytes, tokenIdBytes, signatureBytes] = [16, 6, 12, 16]
const headBytes = 3 * idBytes + timeBytes + tokenIdBytes

/**
 * Signed links to files. A link names the file, its organization, the time until it is good, and the token to which it was
 * shown with the scopes that this took, and proves that this installation made it. The link opens the file
 * without a token until then, and as long as that token is valid and has those scopes, which each download checks.
 */
export class FileLinks {
  readonly #secret: Secret
  #origin: string

  /** `publicBaseUrl`: what clients reach the server by. Without it the address is set when the server listens. */
  constructor(secret: Secret, publicBaseUrl: string | undefined) {
    this.#secret = secret
    this.#origin = withoutSlash(publicBaseUrl ?? '')
  }

  /** Sets the address of links, unless a public one was configured. */
  leadTo(listenAddress: string): void {
    if (this.#origin === '') this.#origin = withoutSlash(listenAddress)
  }

  /** A link that is good for so many seconds, and no longer than what it depends on. */
  link(
    { organizationId, id, resourceId, tokenId, scopes }: LinkedFile,
    { seconds, ends = [], now }: Lifetime,
  ): ShownLink {
    const times = ends.flatMap(end => (end === null ? [] : Date.parse(end)))
    const until = Math.min(now + seconds * 1000, ...times)
    const time = Buffer.alloc(timeBytes)
    time.writeUIntBE(until, 0, timeBytes)
    const token = Buffer.from(tokenId, 'latin1')
    if (token.length !== tokenIdBytes) throw new Error('the id of a token has another length')
    const ids = [organizationId, id, resourceId].map(bytesOf)
    const named = Buffer.concat([...ids, time, token, Buffer.from(scopes.join(' '), 'latin1')])
    const text = Buffer.concat([named, this.#secret.signLink(named)]).toString('base64url')
    // What has less than a second left is told as one.
    const expiresInSeconds = Math.max(1, Math.floor((until - now) / 1000))
    return { url: `${this.#origin}${filesPath}/${text}`, expiresInSeconds }
  }

  /** What the text of a link names; null if it was not made here, was changed, or is too old. */
  read(text: string, now: number): LinkedFile | null {
    const bytes = Buffer.from(text, 'base64url')
    const length = bytes.length - signatureBytes
    // The same bytes have several texts. Only the one that was given out is good.
    if (length < headBytes || bytes.toString('base64url') !== text) return null
    const named = bytes.subarray(0, length)
    if (!timingSafeEqual(this.#secret.signLink(named), bytes.subarray(length))) return null
    if (named.readUIntBE(3 * idBytes, timeBytes) <= now) return null
    return {
      organizationId: uuidAt(named, 0),
      id: uuidAt(named, idBytes),
      resourceId: uuidAt(named, 2 * idBytes),
      tokenId: named.toString('latin1', headBytes - tokenIdBytes, headBytes),
      scopes: named.toString('latin1', headBytes).split(' '),
    }
  }
}

function withoutSlash(url: string): string {
  return url.replace(/\/+$/u, '')
}

function bytesOf(uuid: string): Buffer {
  return Buffer.from(uuid.replaceAll('-', ''), 'hex')
}

function uuidAt(bytes: Buffer, place: number): string {
  const text = bytes.toString('hex', place, place + idBytes)
  return [0, 8, 12, 16, 20].map((start, index, all) => text.slice(start, all[index + 1])).join('-')
}
