import { describe, expect, it } from 'vitest'
import { AdministrationError, parseSize, sizeText } from './index.ts'

describe('a size', () => {
  it.each([
    ['0', 0, '0 bytes'],
    ['1KiB', 1024, '1KiB'],
    ['40 GiB', 40 * 1024 ** 3, '40GiB'],
    ['2048MiB', 2 * 1024 ** 3, '2GiB'],
    ['3TiB', 3 * 1024 ** 4, '3TiB'],
  ])('%s is %i bytes, and is shown as %s', (text, bytes, shown) => {
    expect([parseSize(text), sizeText(bytes)]).toEqual([bytes, shown])
  })

  it.each(['', '7', 'GiB', '-1GiB', '1.5GiB', '1GB', '1gib', ' 1GiB', '9000TiB'])('%o is none', text => {
    expect(() => parseSize(text)).toThrow(AdministrationError)
  })
})
