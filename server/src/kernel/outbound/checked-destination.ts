import { lookup as systemLookup } from 'node:dns/promises'
import { isIP, type LookupFunction } from 'node:net'
import { callbackify } from 'node:util'
import type { AddressList } from '../auth/index.ts'
import { isPublicAddress } from './public-address.ts'

/** Resolves a host name to its addresses, in the order in which to try them. Rejects if there are none. */
export type AddressLookup = (name: string) => Promise<readonly { readonly address: string; readonly family: number }[]>

/** The resolver of the operating system, including its hosts file. */
export const lookupOfSystem: AddressLookup = name => systemLookup(name, { all: true })

/** A destination that must not be called. The message is for the author of the URL. */
export class ForbiddenDestination extends Error {
  override readonly name = 'ForbiddenDestination'
}

/** Checks the URL without a lookup. Throws a `ForbiddenDestination`. */
export function checkUrl(url: URL, allowed: AddressList): void {
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    throw new ForbiddenDestination('only https URLs can be called')
  if (url.username !== '' || url.password !== '')
    throw new ForbiddenDestination('a URL with a user name or password is not called')
  const literal = literalAddress(url)
  if (literal !== null) checkAddress(literal, url, allowed)
  else if (url.protocol === 'http:' && allowed.isEmpty) throw new ForbiddenDestination(httpIsForbidden)
}

const httpIsForbidden = 'http URLs are for addresses that the operator has allowed'

/** The Host header comes from the URL, against which the certificate is checked. Throws a `ForbiddenDestination`. */
export function checkHeaders(headers: Readonly<Record<string, string>>): void {
  if (Object.keys(headers).some(name => name.toLowerCase() === 'host'))
    throw new ForbiddenDestination('a call has the host of its URL')
}

/**
 * The lookup of one connection: resolves the host once, checks all of its addresses, and returns exactly these. So nothing is resolved
 * again between check and connection, and a name with one forbidden address is forbidden.
 */
export function checkedLookup(url: URL, allowed: AddressList, lookup: AddressLookup): LookupFunction {
  const find = callbackify(async (name: string) => {
    const addresses = [...(await lookup(name))]
    for (const { address } of addresses) checkAddress(address, url, allowed)
    const [first] = addresses
    if (first === undefined) throw new Error(`${name} has no address`)
    return { addresses, first }
  })
  return (name, { all }, done) =>
    find(name, (error, found) => {
      if (error !== null) done(error, '')
      else if (all) done(null, found.addresses)
      else done(null, found.first.address, found.first.family)
    })
}

/** Sockets do not look up literal addresses, so these are checked before. */
function literalAddress({ hostname }: URL): string | null {
  const plain = hostname.replace(/^\[|\]$/gu, '')
  return isIP(plain) === 0 ? null : plain
}

function checkAddress(address: string, { protocol, hostname }: URL, allowed: AddressList): void {
  if (allowed.has(address)) return
  if (!isPublicAddress(address))
    throw new ForbiddenDestination(`${hostname} is no public address, and the operator has not allowed it`)
  if (protocol !== 'https:') throw new ForbiddenDestination(httpIsForbidden)
}
