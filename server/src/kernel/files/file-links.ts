import { timingSafeEqual } from 'node:crypto'
import type { RightsHolder } from '../auth/index.ts'
import type { Secret } from '../encryption/secret.ts'

/** The target of a link, and whom it was issued to. */
export interface LinkedFile {
  readonly organizationId: string
  /** The id of the file. */
  readonly id: string
  /** The record that owns the file: an attachment, an export or an import. */
  readonly resourceId: string
  /** Whom the link was issued to. When the token ends or the user loses the scopes, so does the link. */
  readonly holder: RightsHolder
  /** The scopes that the holder must keep for the link to work. */
  readonly scopes: readonly string[]
}

/** How long a link is valid. */
interface Lifetime {
  /** The maximum, in seconds. */
  readonly seconds: number
  /** When the token expires and when the file is removed; null or absent if that is not known. */
  readonly ends?: readonly (string | null)[]
  /** Milliseconds since 1970. */
  readonly now: number
}

/** A link as an answer contains it. */
export interface ShownLink {
  readonly url: string
  /** Whole seconds. */
  readonly expiresInSeconds: number
}

/** The path of all links to files. */
export const filesPath = '/files'

const [idBytes, timeBytes, tokenIdBytes, signatureBytes] = [16, 6, 12, 16]
const headBytes = 3 * idBytes + timeBytes + tokenIdBytes
/** Stands in place of the id of a token in the link of a user, whose id follows. */
const noToken = Buffer.alloc(tokenIdBytes)

/**
 * Signed links to files. A link contains the file, its organization, its expiry, whom it was issued to and the scopes required, and a
 * signature of this installation. It opens the file without a credential until it expires, as long as that token is valid, or that user a
 * member, and has those scopes; each download checks this.
 */
export class FileLinks {
  readonly #secret: Secret
  #origin: string

  /** `publicBaseUrl`: the address under which clients reach the server. Without it, the address is set when the server listens. */
  constructor(secret: Secret, publicBaseUrl: string | undefined) {
    this.#secret = secret
    this.#origin = withoutSlash(publicBaseUrl ?? '')
  }

  /** Sets the address of links, unless a public one is configured. */
  leadTo(listenAddress: string): void {
    if (this.#origin === '') this.#origin = withoutSlash(listenAddress)
  }

  /** A link that is valid for this many seconds, but no longer than its token and its file. */
  link(
    { organizationId, id, resourceId, holder, scopes }: LinkedFile,
    { seconds, ends = [], now }: Lifetime,
  ): ShownLink {
    const times = ends.flatMap(end => (end === null ? [] : Date.parse(end)))
    const until = Math.min(now + seconds * 1000, ...times)
    const time = Buffer.alloc(timeBytes)
    time.writeUIntBE(until, 0, timeBytes)
    const ids = [organizationId, id, resourceId].map(bytesOf)
    const named = Buffer.concat([...ids, time, bytesOfHolder(holder), Buffer.from(scopes.join(' '), 'latin1')])
    const text = Buffer.concat([named, this.#secret.signLink(named)]).toString('base64url')
    // A link with less than a second left reports one second.
    const expiresInSeconds = Math.max(1, Math.floor((until - now) / 1000))
    return { url: `${this.#origin}${filesPath}/${text}`, expiresInSeconds }
  }

  /** Parses a link; null if this installation did not make it, or if it was changed or has expired. */
  read(text: string, now: number): LinkedFile | null {
    const bytes = Buffer.from(text, 'base64url')
    const length = bytes.length - signatureBytes
    // Several texts decode to the same bytes. Only the issued text is valid.
    if (length < headBytes || bytes.toString('base64url') !== text) return null
    const named = bytes.subarray(0, length)
    if (!timingSafeEqual(this.#secret.signLink(named), bytes.subarray(length))) return null
    if (named.readUIntBE(3 * idBytes, timeBytes) <= now) return null
    const token = named.subarray(headBytes - tokenIdBytes, headBytes)
    const isOfUser = token.equals(noToken)
    return {
      organizationId: uuidAt(named, 0),
      id: uuidAt(named, idBytes),
      resourceId: uuidAt(named, 2 * idBytes),
      holder: isOfUser ? { operatorId: uuidAt(named, headBytes) } : { tokenId: token.toString('latin1') },
      scopes: named.toString('latin1', isOfUser ? headBytes + idBytes : headBytes).split(' '),
    }
  }
}

function withoutSlash(url: string): string {
  return url.replace(/\/+$/u, '')
}

function bytesOfHolder(holder: RightsHolder): Buffer {
  if ('operatorId' in holder) return Buffer.concat([noToken, bytesOf(holder.operatorId)])
  const token = Buffer.from(holder.tokenId, 'latin1')
  if (token.length !== tokenIdBytes) throw new Error('the id of a token has another length')
  return token
}

function bytesOf(uuid: string): Buffer {
  return Buffer.from(uuid.replaceAll('-', ''), 'hex')
}

function uuidAt(bytes: Buffer, place: number): string {
  const text = bytes.toString('hex', place, place + idBytes)
  return [0, 8, 12, 16, 20].map((start, index, all) => text.slice(start, all[index + 1])).join('-')
}
