import { timingSafeEqual } from 'node:crypto'
import type { Secret } from '../secret.ts'

/** The file that a link leads to. */
export interface LinkedFile {
  readonly organizationId: string
  readonly id: string
  /** Set where each download leaves an audit entry. */
  readonly noted?: NotedLink
}

/** What the audit entry of a download says: what the file is of, and to whom the link was shown. */
export interface NotedLink {
  readonly resourceId: string
  readonly applicationId: string
  readonly tokenId: string
}

/** The path of all links to files. */
export const filesPath = '/files'

const [idBytes, timeBytes, signatureBytes, tokenIdBytes] = [16, 6, 16, 12]
const plainBytes = 2 * idBytes + timeBytes
const notedBytes = plainBytes + 2 * idBytes + tokenIdBytes

/**
 * Signed links to files. A link names the file, its organization and the time until it is good, and proves that this
 * installation made it. Whoever has the link gets the file, without a token, until then. A link whose use is noted also
 * names the token to which it was shown, because nothing else tells who uses it.
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

  /** A link that is good for so many seconds from `now` on, in milliseconds. */
  link({ organizationId, id, noted }: LinkedFile, seconds: number, now: number): string {
    const time = Buffer.alloc(timeBytes)
    time.writeUIntBE(Math.floor(now / 1000) + seconds, 0, timeBytes)
    const named = Buffer.concat([bytesOf(organizationId), bytesOf(id), time, ...(noted ? bytesOfNoted(noted) : [])])
    const token = Buffer.concat([named, this.#secret.signLink(named)]).toString('base64url')
    return `${this.#origin}${filesPath}/${token}`
  }

  /** The file that the token of a link names; null if the token was not made here, was changed, or is too old. */
  read(token: string, now: number): LinkedFile | null {
    const bytes = Buffer.from(token, 'base64url')
    const length = bytes.length - signatureBytes
    // The same bytes have several texts. Only the one that was given out is good.
    if ((length !== plainBytes && length !== notedBytes) || bytes.toString('base64url') !== token) return null
    const named = bytes.subarray(0, length)
    if (!timingSafeEqual(this.#secret.signLink(named), bytes.subarray(length))) return null
    if (named.readUIntBE(2 * idBytes, timeBytes) * 1000 <= now) return null
    const linked = { organizationId: uuidAt(named, 0), id: uuidAt(named, idBytes) }
    return length === plainBytes ? linked : { ...linked, noted: notedIn(named) }
  }
}

function bytesOfNoted({ resourceId, applicationId, tokenId }: NotedLink): Buffer[] {
  const token = Buffer.from(tokenId, 'latin1')
  if (token.length !== tokenIdBytes) throw new Error('the id of a token has another length')
  return [bytesOf(resourceId), bytesOf(applicationId), token]
}

function notedIn(named: Buffer): NotedLink {
  return {
    resourceId: uuidAt(named, plainBytes),
    applicationId: uuidAt(named, plainBytes + idBytes),
    tokenId: named.toString('latin1', plainBytes + 2 * idBytes),
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
