import { createHmac, timingSafeEqual } from 'node:crypto'
import { Keyring } from './index.ts'

/** The uses of the installation's secret. Each use has a key of its own, derived from the secret. */
export class Secret {
  /** Encrypts what the server keeps for others; also decrypts what was encrypted with former secrets. */
  readonly keyring: Keyring
  readonly #cursorKey: Buffer
  readonly #goneKeyKey: Buffer
  /** That of the secret, and behind it those of former ones. */
  readonly #markKeys: readonly [Buffer, ...Buffer[]]
  readonly #linkKey: Buffer
  readonly #fingerprintKey: Buffer
  readonly #requestIdKey: Buffer

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
  }

  /** Sixteen bytes that prove that this installation made the text. */
  sign(text: string): Buffer {
    return createHmac('sha256', this.#cursorKey).update(text).digest().subarray(0, 16)
  }

  isSigned(text: string, signature: Uint8Array): boolean {
    return signature.length === 16 && timingSafeEqual(this.sign(text), signature)
  }

  /** Sixteen bytes that prove that this installation gave out a link to a file. */
  signLink(named: Uint8Array): Buffer {
    return createHmac('sha256', this.#linkKey).update(named).digest().subarray(0, 16)
  }

  /** What is stored instead of the external key of a removed record. The key can be recognised by it, but not read. */
  goneKey(externalId: string): string {
    return createHmac('sha256', this.#goneKeyKey).update(externalId).digest('base64url')
  }

  /** What tells whether another installation has the same secret: it has the same mark of the same text. */
  mark(text: string): string {
    return markWith(this.#markKeys[0], text)
  }

  /** The marks of the same text that were made with former secrets. */
  formerMarks(text: string): string[] {
    return this.#markKeys.slice(1).map(key => markWith(key, text))
  }

  /** What is stored instead of an `X-Request-Id` that holds an address of an erased person: the same for the same id. */
  requestIdHash(id: string): string {
    return `erased-${createHmac('sha256', this.#requestIdKey).update(id).digest('base64url')}`
  }

  /** What stands for a secret in the fingerprint of a request: the same secret is recognised by it, but cannot be guessed. */
  fingerprint(secret: string): string {
    return createHmac('sha256', this.#fingerprintKey).update(secret).digest('base64url')
  }
}

function markWith(key: Buffer, text: string): string {
  return createHmac('sha256', key).update(text).digest('base64url')
}
