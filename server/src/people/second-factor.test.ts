import { describe, expect, test } from 'vitest'
import { stepOf } from './second-factor.ts'

/** The secret of the test vectors of RFC 6238, in base 32. */
const secret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'

describe('a code of the second factor', () => {
  test.each([
    [59, '287082'],
    [1_111_111_109, '081804'],
    [1_111_111_111, '050471'],
    [1_234_567_890, '005924'],
    [2_000_000_000, '279037'],
    [20_000_000_000, '353130'],
  ])('is that of RFC 6238 at %i seconds', async (seconds, code) => {
    expect(await stepOf(code, secret, seconds * 1000)).toBe(Math.floor(seconds / 30))
  })

  test('is taken half a minute early or late, and not longer', async () => {
    const [at, step] = [1_234_567_890_000, 41_152_263]
    for (const off of [-30_000, 0, 30_000]) expect(await stepOf('005924', secret, at + off)).toBe(step)
    for (const off of [-60_000, 60_000]) expect(await stepOf('005924', secret, at + off)).toBeNull()
  })
})
