import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

/** The owner of a secret. It is authenticated with the secret, so a secret that was copied to another row cannot be decrypted. */
export interface SecretPlace {
  readonly organizationId: string
  /** The kind and the id of the record that has the secret. */
  readonly kind: string
  readonly recordId: string
}

interface Key {
  readonly id: string
  readonly key: Buffer
}

const algorithm = 'aes-256-gcm'
const nonceBytes = 12
const tagBytes = 16
const keyIdForm = /^([A-Za-z0-9_-]{12})\./u
const options = { authTagLength: tagBytes }

/**
 * Encrypts secrets that the server stores for others and must read again, such as those of API integrations (contract section 13). Each
 * secret of the installation yields one key: the current key encrypts, former ones only decrypt.
 *
 * The stored form is `<key id>.<nonce>.<ciphertext with its tag>`. The key id identifies the key and reveals nothing about it.
 */
export class Keyring {
  readonly #current: Key
  readonly #keys: ReadonlyMap<string, Buffer>

  constructor(secret: string, former: readonly string[] = []) {
    this.#current = keyOf(secret)
    this.#keys = new Map([...former.map(keyOf), this.#current].map(({ id, key }) => [id, key]))
  }

  encrypt(text: string, place: SecretPlace): string {
    const { id, key } = this.#current
    const nonce = randomBytes(nonceBytes)
    const cipher = createCipheriv(algorithm, key, nonce, options).setAAD(bound(id, place))
    const ciphertext = Buffer.concat([cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()])
    return [id, nonce.toString('base64url'), ciphertext.toString('base64url')].join('.')
  }

  /** The plain secret; null if none of the keys encrypted it, or if it was altered or belongs to another owner. */
  decrypt(stored: string, place: SecretPlace): string | null {
    const [id = '', ...parts] = stored.split('.')
    const key = this.#keys.get(id)
    const [nonce, ciphertext] = parts.map(part => Buffer.from(part, 'base64url'))
    if (key === undefined || nonce?.length !== nonceBytes || ciphertext === undefined) return null
    if (ciphertext.length < tagBytes) return null
    const decipher = createDecipheriv(algorithm, key, nonce, options)
      .setAAD(bound(id, place))
      .setAuthTag(ciphertext.subarray(-tagBytes))
    const opened = decipher.update(ciphertext.subarray(0, -tagBytes))
    try {
      return Buffer.concat([opened, decipher.final()]).toString('utf8')
    } catch {
      // node:crypto throws this when the tag does not match.
      return null
    }
  }

  /** The id of the key that encrypted a stored secret; `unknown` if the text does not have the stored form. */
  keyIdOf(stored: string): string {
    return keyIdForm.exec(stored)?.[1] ?? 'unknown'
  }

  /** The prefix of everything encrypted with the current key. */
  get currentPrefix(): string {
    return `${this.#current.id}.`
  }
}

function keyOf(secret: string): Key {
  const derive = (use: string, bytes: number) => Buffer.from(hkdfSync('sha256', secret, '', use, bytes))
  return {
    id: derive('id of the key of stored secrets', 9).toString('base64url'),
    key: derive('key of stored secrets', 32),
  }
}

function bound(keyId: string, { organizationId, kind, recordId }: SecretPlace): Buffer {
  return Buffer.from(JSON.stringify([keyId, organizationId, kind, recordId]))
}
