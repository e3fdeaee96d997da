import { addressBucket } from '../kernel/auth/index.ts'
import { unprocessable } from '../kernel/errors/index.ts'
import type { Refusal } from '../kernel/index.ts'
import { loadCommonPasswords } from './common-passwords.ts'
import { type PasswordOwner, passwordIssues } from './password.rules.ts'
import type { SignInServices } from './sign-in.ts'

/**
 * Hashes a new password, unless it is too short, too common, or little more than the name of its owner (422). `path` is its place in the
 * request. Throws `Overloaded` if too many passwords wait.
 */
export async function hashNewPassword(
  password: string,
  owner: PasswordOwner,
  { path, address }: { readonly path: string; readonly address: string },
  { passwords }: Pick<SignInServices, 'passwords'>,
): Promise<string | Refusal> {
  return (await inspectNewPassword(password, owner, path)) ?? passwords.hash(password, addressBucket(address))
}

/** Refuses a new password as `hashNewPassword` does; null for a good one. It takes no work. */
export async function inspectNewPassword(
  password: string,
  owner: PasswordOwner,
  path: string,
): Promise<Refusal | null> {
  const issues = passwordIssues(password, owner, await loadCommonPasswords(), path)
  return issues.length > 0 ? unprocessable(issues) : null
}
