import { describe, expect, it } from 'vitest'
import { isPublicAddress } from './public-address.ts'

/** What is not public: a name, the first and the last address, and the public ones before and behind it, if there are. */
const ranges: readonly (readonly [string, string, string, string | null, string | null])[] = [
  ['this network, unspecified', '0.0.0.0', '0.255.255.255', null, '1.0.0.0'],
  ['private', '10.0.0.0', '10.255.255.255', '9.255.255.255', '11.0.0.0'],
  ['carrier-grade NAT', '100.64.0.0', '100.127.255.255', '100.63.255.255', '100.128.0.0'],
  ['loopback', '127.0.0.0', '127.255.255.255', '126.255.255.255', '128.0.0.0'],
  ['link-local', '169.254.0.0', '169.254.255.255', '169.253.255.255', '169.255.0.0'],
  ['private', '172.16.0.0', '172.31.255.255', '172.15.255.255', '172.32.0.0'],
  ['protocol assignments', '192.0.0.0', '192.0.0.255', '191.255.255.255', '192.0.1.0'],
  ['documentation', '192.0.2.0', '192.0.2.255', '192.0.1.255', '192.0.3.0'],
  ['relays of 6to4', '192.88.99.0', '192.88.99.255', '192.88.98.255', '192.88.100.0'],
  ['private', '192.168.0.0', '192.168.255.255', '192.167.255.255', '192.169.0.0'],
  ['benchmarks', '198.18.0.0', '198.19.255.255', '198.17.255.255', '198.20.0.0'],
  ['documentation', '198.51.100.0', '198.51.100.255', '198.51.99.255', '198.51.101.0'],
  ['documentation', '203.0.113.0', '203.0.113.255', '203.0.112.255', '203.0.114.0'],
  ['multicast', '224.0.0.0', '239.255.255.255', '223.255.255.255', null],
  ['reserved, broadcast', '240.0.0.0', '255.255.255.255', null, null],
  ['unspecified, loopback, IPv4-compatible', '::', '::ffff:ffff', null, null],
  ['IPv4-mapped', '::ffff:0.0.0.0', '::ffff:255.255.255.255', null, null],
  ['IPv4-translated', '::ffff:0:0:0', '::ffff:0:ffff:ffff', null, null],
  ['NAT64', '64:ff9b::', '64:ff9b::ffff:ffff', null, null],
  ['NAT64 of a network', '64:ff9b:1::', '64:ff9b:1:ffff:ffff:ffff:ffff:ffff', null, null],
  ['discarded', '100::', '100::ffff:ffff:ffff:ffff', null, null],
  ['given to nobody', '::1:0:0:0', '1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', null, '2000::'],
  ['protocol assignments, Teredo', '2001::', '2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff', '2000:ffff::', '2001:200::'],
  ['documentation', '2001:db8::', '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff', '2001:db7:ffff::', '2001:db9::'],
  ['6to4', '2002::', '2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff', '2001:ffff::', '2003::'],
  ['documentation', '3fff::', '3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff', '3ffe:ffff::', '3fff:1000::'],
  ['given to nobody', '4000::', 'fbff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', '3fff:ffff::', null],
  ['unique-local', 'fc00::', 'fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', null, null],
  ['link-local', 'fe80::', 'febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff', null, null],
  ['site-local', 'fec0::', 'feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', null, null],
  ['multicast', 'ff00::', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', null, null],
]

describe('isPublicAddress', () => {
  it.each(ranges)('knows that %s is not: %s to %s', (_name, first, last, before, behind) => {
    for (const address of [first, last]) expect(isPublicAddress(address), address).toBe(false)
    for (const address of [before, behind]) if (address !== null) expect(isPublicAddress(address), address).toBe(true)
  })

  it.each([
    '64:ff9b::8.8.8.8',
    '64:ff9b::7f00:1',
    '64:ff9b:1::10.0.0.1',
    '::ffff:8.8.8.8',
    '::ffff:7f00:1',
    '::8.8.8.8',
    '2002:7f00:1::',
    '2001:0:4136:e378:8000:63bf:3fff:fdd2',
    'fe80::1%eth0',
    '169.254.169.254',
    'fd00:ec2::254',
    '2001:db8::8.8.8.8',
  ])('sees through the other forms of an address: %s', address => {
    expect(isPublicAddress(address)).toBe(false)
  })

  it.each(['', 'localhost', '8.8.8', '0x7f.1', '2130706433', '8.8.8.8.', 'unknown'])(
    'takes no text for an address: "%s"',
    text => {
      expect(isPublicAddress(text)).toBe(false)
    },
  )

  it.each(['1.1.1.1', '8.8.8.8', '93.184.215.14', '2606:4700:4700::1111', '2a00:1450:4001:82a::200e', '2620:fe::fe'])(
    'knows the addresses of the internet: %s',
    address => {
      expect(isPublicAddress(address)).toBe(true)
    },
  )
})
