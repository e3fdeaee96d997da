import { createHmac, timingSafeEqual } from 'node:crypto'
import { Keyring } from './index.ts'

/** The uses of the installation's secret. Each use has its own key, derived from the secret. */
export class Secret {
  /** Encrypts secrets stored for others; also decrypts those encrypted with former secrets. */
  readonly keyring: Keyring
  readonly #cursorKey: Buffer
  readonly #goneKeyKey: Buffer
  /** The key of the current secret, then those of former ones. */
  readonly #markKeys: readonly [Buffer, ...Buffer[]]
  readonly #linkKey: Buffer
  readonly #fingerprintKey: Buffer
  readonly #requestIdKey: Buffer
  readonly #browserKey: Buffer
  readonly #secondFactorKey: Buffer
  readonly #slotKey: Buffer

  constructor(secret: string, former: readonly string[] = []) {
    this.keyring = new Keyring(secret, former)
    const deriveFrom = (text: string, use: string) => createHmac('sha256', text).update(use).digest()
    const derive = (use: string) => deriveFrom(secret, use)
    this.#cursorKey = derive('cursor')
    this.#goneKeyKey = derive('gone external key')
    this.#markKeys = [derive('mark'), ...former.map(each => deriveFrom(each, 'mark'))]
    this.#linkKey = derive('file link')
    this.#fingerprintKey = derive('fingerprint')
    this.#requestIdKey = derive('request id')
    this.#browserKey = derive('known browser')
    this.#secondFactorKey = derive('second factor')
    this.#slotKey = derive('slot')
  }

  /** Sixteen bytes that prove that this installation produced the text. */
  sign(text: string): Buffer {
    return createHmac('sha256', this.#cursorKey).update(text).digest().subarray(0, 16)
  }

  isSigned(text: string, signature: Uint8Array): boolean {
    return signature.length === 16 && timingSafeEqual(this.sign(text), signature)
  }

  /** Sixteen bytes that prove that this installation issued a link to a file. */
  signLink(named: Uint8Array): Buffer {
    return createHmac('sha256', this.#linkKey).update(named).digest().subarray(0, 16)
  }

  /** Sixteen bytes that prove that this installation has named a browser. */
  signBrowser(named: string): Buffer {
    return createHmac('sha256', this.#browserKey).update(named).digest().subarray(0, 16)
  }

  isSignedBrowser(named: string, signature: Uint8Array): boolean {
    return signature.length === 16 && timingSafeEqual(this.signBrowser(named), signature)
  }

  /** The secret of 160 bits that a session offers for a second factor. It is stored when the user has confirmed it. */
  offeredFactor(sessionId: string): Buffer {
    return createHmac('sha256', this.#secondFactorKey).update(sessionId).digest().subarray(0, 20)
  }

  /** Six digits that differ between the installations of one machine, whose browsers share cookies. */
  get digits(): string {
    return String(createHmac('sha256', this.#browserKey).update('digits').digest().readUInt32BE() % 1_000_000).padStart(
      6,
      '0',
    )
  }

  /** A number below 65,536 for a text. Nobody else can find texts that share one. */
  slot(text: string): number {
    return createHmac('sha256', this.#slotKey).update(text).digest().readUInt16BE()
  }

  /** What is stored instead of the external key of a removed record. It identifies the key without revealing it. */
  goneKey(externalId: string): string {
    return createHmac('sha256', this.#goneKeyKey).update(externalId).digest('base64url')
  }

  /** A mark of a text under this secret. Two installations with the same secret compute the same mark. */
  mark(text: string): string {
    return markWith(this.#markKeys[0], text)
  }

  /** The marks of the text under former secrets. */
  formerMarks(text: string): string[] {
    return this.#markKeys.slice(1).map(key => markWith(key, text))
  }

  /** What replaces an `X-Request-Id` that contains an address of an erased person: equal for equal ids. */
  requestIdHash(id: string): string {
    return `erased-${createHmac('sha256', this.#requestIdKey).update(id).digest('base64url')}`
  }

  /** What replaces a secret in the fingerprint of a request: equal for equal secrets, and impossible to guess the secret from. */
  fingerprint(secret: string): string {
    return createHmac('sha256', this.#fingerprintKey).update(secret).digest('base64url')
  }
}

function markWith(key: Buffer, text: string): string {
  return createHmac('sha256', key).update(text).digest('base64url')
}
