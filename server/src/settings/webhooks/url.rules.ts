const mostCharacters = 2048

/** What is wrong with the address of a receiver; null if it is valid. Whether it may be called, the operator decides. */
export function wrongReceiver(url: string): string | null {
  if (!/^https?:\/\//iu.test(url)) return 'an address that begins with https:// is expected'
  if (url.length > mostCharacters) return `an address takes at most ${mostCharacters} characters`
  if (/[\s\p{Cc}\\]/u.test(url)) return 'an address has no spaces, control characters or backslashes'
  if (!URL.canParse(url)) return `"${url}" is no valid address`
  const { username, password, hash } = new URL(url)
  if (username !== '' || password !== '') return 'user name and password do not stand in an address: send a header'
  return hash === '' ? null : 'an address that is called has no fragment'
}

/** Whether two valid addresses have the same scheme, host and port: so that secrets for one are good for the other. */
export function isSameReceiver(one: string, other: string): boolean {
  return new URL(one).origin === new URL(other).origin
}
