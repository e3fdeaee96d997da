import { describe, expect, it } from 'vitest'
import { type ConnectionPlace, ConnectionShares } from './connection-shares.ts'

/** The places of so many connections, one after another; null where there is none. */
function enter(shares: ConnectionShares, count: number, address: (index: number) => string | undefined) {
  return Array.from({ length: count }, (_, index) => shares.enter(address(index)))
}

const kinds = (places: readonly (ConnectionPlace | null)[]) => {
  const counted: Record<string, number> = {}
  for (const place of places) {
    const kind = place === null ? 'none' : (place.exceeded ?? 'ordinary')
    counted[kind] = (counted[kind] ?? 0) + 1
  }
  return counted
}

describe('the connections of a server', () => {
  it('are divided: an address has a quarter of them, and a quarter of the places for probes', () => {
    const shares = new ConnectionShares([])
    const own = () => '192.0.2.1'
    expect(kinds(enter(shares, 600, own))).toEqual({ ordinary: 500, addressConnections: 4, none: 96 })
    expect(kinds(enter(shares, 1, () => '192.0.2.2'))).toEqual({ ordinary: 1 })
  })

  it('count a network of IPv6 as one address, and an address that is mapped into IPv6 as itself', () => {
    const shares = new ConnectionShares([])
    enter(shares, 500, index => `2001:db8:0:1::${index.toString(16)}`)
    expect(shares.enter('2001:db8:0:1::ffff')?.exceeded).toBe('addressConnections')
    expect(shares.enter('2001:db8:0:2::1')?.exceeded).toBeNull()
    enter(shares, 500, () => '::ffff:192.0.2.1')
    expect(shares.enter('192.0.2.1')?.exceeded).toBe('addressConnections')
  })

  it('leave places for probes when all others are taken', () => {
    const shares = new ConnectionShares([])
    const places = enter(shares, 2100, index => `10.0.${index >> 8}.${index & 255}`)
    expect(kinds(places)).toEqual({ ordinary: 1984, connections: 16, none: 100 })
  })

  it('belong to trusted proxies all but 64', () => {
    const shares = new ConnectionShares(['10.0.0.0/8', '2001:db8::/32'])
    const places = enter(shares, 2000, index => (index % 2 === 0 ? `10.0.0.${index & 255}` : '2001:db8::1'))
    expect(kinds(places)).toEqual({ ordinary: 1936, proxyConnections: 4, none: 60 })
    expect(shares.enter('192.0.2.1')?.exceeded).toBeNull()
  })

  it('are as many as those of all processes of the server', () => {
    const shares = new ConnectionShares([], 2)
    expect(kinds(enter(shares, 1200, () => '192.0.2.1'))).toEqual({ ordinary: 1000, addressConnections: 8, none: 192 })
  })

  it('give back the places of those that are closed', () => {
    const shares = new ConnectionShares([])
    const places = enter(shares, 504, () => '192.0.2.1')
    for (const place of places) place?.leave()
    expect(kinds(enter(shares, 504, () => '192.0.2.1'))).toEqual({ ordinary: 500, addressConnections: 4 })
  })
})
