import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

/** Whose secret it is. That is authenticated with the secret, so one that is copied to another row cannot be decrypted. */
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
 * Encrypts what the server keeps for others and has to read again, such as the secrets of API integrations (contract section 13).
 * Each secret of the installation gives one key: the current one encrypts, former ones only decrypt.
 *
 * What is stored is `<key id>.<nonce>.<ciphertext with its tag>`. The key id tells which key it was, and nothing of the key.
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

  /** The secret. Null if none of the keys is its key, and if it was altered or belongs to another place. */
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
      // In this way node:crypto says that the tag does not match.
      return null
    }
  }

  /** The id of the key that a stored secret was encrypted with; `unknown` where that is not in its form. */
  keyIdOf(stored: string): string {
    return keyIdForm.exec(stored)?.[1] ?? 'unknown'
  }

  /** How everything begins that was encrypted with the current key. */
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
