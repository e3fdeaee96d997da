/** A key that no other call has: 128 random bits. `randomUUID` would need a page with HTTPS in browsers. */
export function newIdempotencyKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), byte => byte.toString(16).padStart(2, '0')).join('')
}

/** Throws TypeError for a key that the API would refuse. */
export function assertIdempotencyKey(key: string): void {
  if (!/^[\x21-\x7e]{1,255}$/u.test(key))
    throw new TypeError('idempotencyKey must have 1 to 255 visible ASCII characters')
}
