import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { AddressList, addressBucket, isCidr, normaliseAddress } from './address.ts'

const groups = fc.array(fc.integer({ min: 0, max: 0xffff }), { minLength: 8, maxLength: 8 })
const sparse = fc.array(fc.constantFrom(0, 0, 0, 1, 0xdb8, 0x2001), { minLength: 8, maxLength: 8 })
const addresses4 = fc.array(fc.nat(255), { minLength: 4, maxLength: 4 })

const plain = (parts: readonly number[]) => parts.map(part => part.toString(16)).join(':')
const padded = (parts: readonly number[]) =>
  parts.map(part => part.toString(16).toUpperCase().padStart(4, '0')).join(':')

/** The address with its first run of zero groups written as `::`. */
function compressed(parts: readonly number[]): string {
  return plain(parts).replace(/(^|:)0(:0)*(:|$)/u, '::')
}

function numberOf(parts: readonly number[], bits: bigint): bigint {
  return parts.reduce((number, part) => (number << bits) + BigInt(part), 0n)
}

describe('addressBucket', () => {
  it('is the address itself for IPv4', () => {
    fc.assert(fc.property(addresses4, parts => addressBucket(parts.join('.')) === parts.join('.')))
  })

  it('is one for all addresses of an IPv6 /64 network, however they are written', () => {
    fc.assert(
      fc.property(fc.oneof(groups, sparse), groups, (one, other) => {
        fc.pre(one.slice(0, 5).some(part => part !== 0))
        const neighbour = [...one.slice(0, 4), ...other.slice(4)]
        const forms = [
          plain(one),
          padded(one),
          compressed(one),
          `${plain(one)}%eth0`,
          plain(neighbour),
          compressed(neighbour),
        ]
        expect(new Set(forms.map(addressBucket)).size).toBe(1)
      }),
    )
  })

  it('differs between /64 networks', () => {
    fc.assert(
      fc.property(groups, groups, (one, other) => {
        fc.pre(plain(one.slice(0, 4)) !== plain(other.slice(0, 4)))
        expect(addressBucket(plain(one))).not.toBe(addressBucket(plain(other)))
      }),
    )
  })

  it('of an IPv4-mapped address is that of the IPv4 address, however it is written', () => {
    fc.assert(
      fc.property(addresses4, ([a = 0, b = 0, c = 0, d = 0]) => {
        const dotted = `${a}.${b}.${c}.${d}`
        const hexadecimal = `${((a << 8) + b).toString(16)}:${((c << 8) + d).toString(16)}`
        for (const mapped of [
          `::ffff:${dotted}`,
          `::FFFF:${dotted}`,
          `::ffff:${hexadecimal}`,
          `0:0:0:0:0:ffff:${dotted}`,
        ]) {
          expect([mapped, addressBucket(mapped)]).toEqual([mapped, dotted])
        }
      }),
    )
  })
})

describe('normaliseAddress', () => {
  it.each([
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['::FFFF:192.0.2.1', '192.0.2.1'],
    ['::ffff:c000:201', '192.0.2.1'],
    ['fe80::1%eth0', 'fe80::1'],
    ['2001:db8::1', '2001:db8::1'],
    ['192.0.2.1:4711', '192.0.2.1'],
    ['[2001:DB8::1]:4711', '2001:db8::1'],
    ['[2001:db8::1]', '2001:db8::1'],
    ['[::ffff:192.0.2.1]:1', '192.0.2.1'],
    ['[fe80::1%eth0]:4711', 'fe80::1'],
    ['2001:db8::1:4711', '2001:db8::1:4711'],
    ['192.0.2.1:', 'unknown'],
    ['192.0.2.1:http', 'unknown'],
    ['[192.0.2.1]', 'unknown'],
    ['[2001:db8::1', 'unknown'],
    ['unknown', 'unknown'],
    ['', 'unknown'],
    [undefined, 'unknown'],
  ])('of %s is %s', (address, normal) => {
    expect(normaliseAddress(address)).toBe(normal)
  })

  it('looks at each character of a long text once', () => {
    expect(normaliseAddress(`[${':'.repeat(1_000_000)}`)).toBe('unknown')
  })
})

describe('isCidr', () => {
  it('takes every network and single address', () => {
    fc.assert(
      fc.property(addresses4, fc.nat(32), groups, fc.nat(128), (four, bits4, six, bits6) => {
        const texts = [four.join('.'), `${four.join('.')}/${bits4}`, compressed(six), `${plain(six)}/${bits6}`]
        expect(texts.map(isCidr)).toEqual([true, true, true, true])
      }),
    )
  })

  it.each([
    '',
    '/',
    '10.0.0.0/',
    '10.0.0.0/33',
    '10.0.0.0/-1',
    '10.0.0.0/8/8',
    '10.0.0/8',
    '::/129',
    'localhost',
    '10.0.0.0/a',
    ' 10.0.0.0/8',
    '10.0.0.0/08x',
  ])('refuses %j', text => {
    expect(isCidr(text)).toBe(false)
  })
})

describe('AddressList', () => {
  it('has an IPv4 address exactly when its first bits are those of a network', () => {
    fc.assert(
      fc.property(addresses4, addresses4, fc.nat(32), (network, address, bits) => {
        const shift = BigInt(32 - bits)
        const inside = numberOf(network, 8n) >> shift === numberOf(address, 8n) >> shift
        const list = new AddressList([`${network.join('.')}/${bits}`])
        expect(list.has(address.join('.'))).toBe(inside)
        expect(list.has(`::ffff:${address.join('.')}`)).toBe(inside)
        expect(list.has(network.join('.'))).toBe(true)
      }),
    )
  })

  it('has an IPv6 address exactly when its first bits are those of a network', () => {
    fc.assert(
      fc.property(sparse, sparse, fc.nat(128), (network, address, bits) => {
        fc.pre([network, address].every(parts => parts.slice(0, 6).some(part => part !== 0)))
        const shift = BigInt(128 - bits)
        const inside = numberOf(network, 16n) >> shift === numberOf(address, 16n) >> shift
        const list = new AddressList([`${plain(network)}/${bits}`])
        expect(list.has(compressed(address))).toBe(inside)
        expect(list.has(compressed(network))).toBe(true)
      }),
    )
  })

  it('has a single address alone', () => {
    const list = new AddressList(['192.0.2.1', '2001:db8::1'])
    expect(['192.0.2.1', '::ffff:192.0.2.1', '2001:db8:0::1'].map(address => list.has(address))).toEqual([
      true,
      true,
      true,
    ])
    expect(['192.0.2.2', '2001:db8::2', 'nonsense', ''].map(address => list.has(address))).toEqual([
      false,
      false,
      false,
      false,
    ])
  })

  it('has an IPv4-mapped address in hexadecimal, and networks that are written so', () => {
    expect(new AddressList(['192.0.2.0/24']).has('::ffff:c000:201')).toBe(true)
    expect(new AddressList(['::ffff:192.0.2.0/120']).has('192.0.2.1')).toBe(true)
    expect(new AddressList(['::ffff:192.0.2.0/120']).has('192.0.3.1')).toBe(false)
  })

  it('shows whether it is empty', () => {
    expect([new AddressList([]).isEmpty, new AddressList(['::/0']).isEmpty]).toEqual([true, false])
  })
})
