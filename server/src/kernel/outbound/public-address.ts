import { AddressList } from '../auth/index.ts'

/**
 * The range of public addresses in IPv6. All others are loopback, unspecified, unique-local, link-local, site-local, multicast, IPv4 in
 * another form (mapped, compatible, NAT64), or unassigned.
 */
const internet6 = new AddressList(['2000::/3'])

/** Ranges that are not public although they are inside the public ranges (the special-purpose registries of IANA). */
const special = new AddressList([
  '0.0.0.0/8', // this network, with the unspecified address
  '10.0.0.0/8', // private
  '100.64.0.0/10', // carrier-grade NAT
  '127.0.0.0/8', // loopback
  '169.254.0.0/16', // link-local, with the metadata services of clouds
  '172.16.0.0/12', // private
  '192.0.0.0/24', // protocol assignments
  '192.0.2.0/24', // documentation
  '192.88.99.0/24', // relays of 6to4
  '192.168.0.0/16', // private
  '198.18.0.0/15', // benchmarks
  '198.51.100.0/24', // documentation
  '203.0.113.0/24', // documentation
  '224.0.0.0/4', // multicast
  '240.0.0.0/4', // reserved, with the broadcast address
  '2001::/23', // protocol assignments, with Teredo, which holds IPv4 addresses
  '2001:db8::/32', // documentation
  '2002::/16', // 6to4, which holds IPv4 addresses
  '3fff::/20', // documentation
])

/** Whether a text is a public address; false for a text that is not an address. */
export function isPublicAddress(address: string): boolean {
  if (special.has(address)) return false
  return address.includes(':') ? internet6.has(address) : all4.has(address)
}

const all4 = new AddressList(['0.0.0.0/0'])
