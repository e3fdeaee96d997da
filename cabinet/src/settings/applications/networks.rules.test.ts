import { expect, test } from 'vitest'
import { containsAddress } from './networks.rules.ts'

test.each([
  [['10.0.0.0/8'], '10.2.3.4', true],
  [['10.0.0.0/8'], '11.2.3.4', false],
  [['192.0.2.1', ''], '192.0.2.1', true],
  [['192.0.2.0/25'], '192.0.2.128', false],
  [['0.0.0.0/0'], '203.0.113.9', true],
  [['2001:db8::/32'], '2001:db8:0:1::9', true],
  [['2001:db8::/48'], '2001:db8:1::9', false],
  [['127.0.0.1'], '::ffff:127.0.0.1', true],
  [['::/0'], '127.0.0.1', false],
  [['10.0.0.0/x', 'office'], '10.0.0.1', false],
  [[' ', ''], '10.0.0.1', null],
  [[], '10.0.0.1', null],
])('networks %j and the address %s: %s', (networks, address, isIncluded) => {
  expect(containsAddress(networks, address)).toBe(isIncluded)
})
