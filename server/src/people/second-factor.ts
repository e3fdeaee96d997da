import { hash, randomBytes } from 'node:crypto'
import type { Services } from '../kernel/index.ts'
import { statement, type Transaction } from '../kernel/sql/index.ts'

/** The longest text that is taken for a code: a recovery code with its hyphens, and some spaces. */
export const codeLength = 40

const recoveryCodes = 10
const issuer = 'CRM'
const period = 30

// The first request takes the step: if two bring one code, one fails.
const useStep = statement(
  'use_step_of_second_factor',
  `update users u
      set totp_last_step = $2
    where u.id = $1 and (u.totp_last_step is null or u.totp_last_step < $2)
   returning u.id`,
)

const useRecoveryCode = statement(
  'use_recovery_code',
  // The user is locked first, in the order of changes of a user.
  `with owner as materialized (select u.id from users u where u.id = $1 for no key update)
   delete from recovery_codes c using owner o where c.user_id = o.id and c.code_hash = $2 returning c.user_id`,
)

const replaceRecoveryCodes = [
  statement('remove_recovery_codes', 'delete from recovery_codes c where c.user_id = $1'),
  statement(
    'insert_recovery_codes',
    'insert into recovery_codes (user_id, code_hash) select $1, h.code_hash from unnest($2::bytea[]) as h(code_hash)',
  ),
] as const

/** A user with a second factor. */
interface FactorOwner {
  readonly id: string
  readonly email: string
  /** As it is stored: encrypted. */
  readonly totpSecret: string
}

/** Which factor a code is. */
export type UsedFactor = 'totp' | 'recovery_code'

/**
 * Uses a code: six digits of this half minute, the one before or the one after (RFC 6238), or a recovery code. Each is good once, also
 * when two requests bring it at once. Returns null for a wrong or used code.
 */
export async function useCode(
  owner: FactorOwner,
  code: string,
  transaction: Transaction,
  services: Pick<Services, 'secret' | 'clock'>,
): Promise<UsedFactor | null> {
  const plain = code.replaceAll(/[\s-]/gu, '')
  if (!/^\d{6}$/u.test(plain)) {
    const used = await transaction.query(useRecoveryCode, [owner.id, hashOf(plain)])
    return used.length === 1 ? 'recovery_code' : null
  }
  const secret = services.secret.keyring.decrypt(owner.totpSecret, factorPlace(owner.id))
  if (secret === null) throw new Error(`the second factor of user ${owner.id} cannot be decrypted`)
  const step = await stepOf(plain, secret, services.clock.now())
  if (step === null) return null
  const used = await transaction.query(useStep, [owner.id, step])
  return used.length === 1 ? 'totp' : null
}

/** The step, a number of half minutes, at which a secret gives this code near a time in milliseconds; null if it does not. */
export async function stepOf(code: string, secret: string, now: number): Promise<number | null> {
  const { TOTP, Secret } = await import('otpauth')
  const totp = new TOTP({ secret: Secret.fromBase32(secret), period })
  const delta = totp.validate({ token: code, timestamp: now, window: 1 })
  return delta === null ? null : Math.floor(now / 1000 / period) + delta
}

/** The text of a secret for people, and the address that an application for codes reads. */
export async function describeFactor(secret: Buffer, email: string): Promise<{ secret: string; uri: string }> {
  const { TOTP, Secret } = await import('otpauth')
  const totp = new TOTP({ issuer, label: email, secret: new Secret({ buffer: new Uint8Array(secret).buffer }), period })
  return { secret: totp.secret.base32, uri: totp.toString() }
}

/** Encrypts a secret for the row of its user. */
export function sealFactor(secret: string, userId: string, { secret: { keyring } }: Pick<Services, 'secret'>): string {
  return keyring.encrypt(secret, factorPlace(userId))
}

/** Makes ten new recovery codes, each good once, and forgets earlier ones. They are shown once. */
export async function makeRecoveryCodes(userId: string, transaction: Transaction): Promise<string[]> {
  const codes = Array.from({ length: recoveryCodes }, newRecoveryCode)
  const [remove, insert] = replaceRecoveryCodes
  await transaction.query(remove, [userId])
  await transaction.query(insert, [userId, codes.map(code => hashOf(code.replaceAll('-', '')))])
  return codes
}

const letters = 'abcdefghijklmnopqrstuvwxyz234567'

/** Eighty random bits, in four groups. */
function newRecoveryCode(): string {
  const text = Array.from(randomBytes(16), byte => letters[byte % letters.length]).join('')
  return text.replaceAll(/.{4}(?=.)/gu, '$&-')
}

/** A code is random and long, so one round of SHA-256 keeps it safe. */
function hashOf(code: string): Buffer {
  return hash('sha256', code.toLowerCase(), 'buffer')
}

/** Users belong to no organization. */
export function factorPlace(userId: string) {
  return { organizationId: '', kind: 'user', recordId: userId }
}
