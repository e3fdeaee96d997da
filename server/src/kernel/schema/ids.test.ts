import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isExternalId, isUuid, lockNumber, newId } from './ids.ts'
import { tidyText } from './text.ts'

describe('isUuid', () => {
  it('takes every UUID of any version, in any case', () => {
    fc.assert(fc.property(fc.uuid(), id => isUuid(id) && isUuid(id.toUpperCase())))
  })

  it('refuses a UUID with any character added, taken away or replaced', () => {
    fc.assert(
      fc.property(fc.uuid(), fc.nat(35), fc.constantFrom(...'gG {}/\n\0'), (id, at, character) => {
        expect(isUuid(id.slice(0, at) + id.slice(at + 1))).toBe(false)
        expect([isUuid(id + character), isUuid(character + id)]).toEqual([false, false])
        expect(isUuid(id.slice(0, at) + character + id.slice(at))).toBe(false)
        expect(isUuid(id.slice(0, at) + character + id.slice(at + 1))).toBe(false)
      }),
    )
  })
})

describe('newId', () => {
  it('is a UUID of version 7, new each time and in order of time', () => {
    const ids = Array.from({ length: 1000 }, newId)
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/u)
    expect(new Set(ids).size).toBe(1000)
    expect(ids.toSorted()).toEqual(ids)
  })
})

describe('isExternalId', () => {
  it('takes any text of 1 to 200 code points without outer space and control characters', () => {
    const texts = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 30 })
    fc.assert(
      fc.property(texts, text => {
        const clean = text.trim() === text && !/\p{Cc}/u.test(text) && tidyText(text) !== ''
        expect(isExternalId(text)).toBe(clean)
      }),
    )
  })

  it('counts code points', () => {
    expect([isExternalId('𝒳'.repeat(200)), isExternalId('𝒳'.repeat(201))]).toEqual([true, false])
  })

  it.each(['', ' ', ' a', 'a ', '\u00a0a', 'a\u2028', '\ufeffa', 'a\nb', 'a\u0000b', 'a\u007fb', 'a\u0085b'])(
    'refuses %j',
    text => {
      expect(isExternalId(text)).toBe(false)
    },
  )

  it('refuses what nobody can see, and keeps it inside of a key', () => {
    expect(['\u200b', '\u3164\u00ad', '\u0301', 'a\u200bb'].map(isExternalId)).toEqual([false, false, false, true])
  })
})

describe('lockNumber', () => {
  it('is a signed number of 64 bits, the same for the same parts', () => {
    fc.assert(
      fc.property(fc.array(fc.string(), { minLength: 1 }), parts => {
        const number = lockNumber(...parts)
        expect(BigInt.asIntN(64, BigInt(number))).toBe(BigInt(number))
        expect(lockNumber(...parts)).toBe(number)
      }),
    )
  })

  it('tells apart where one part ends and the next begins', () => {
    expect(lockNumber('ab', 'c')).not.toBe(lockNumber('a', 'bc'))
    expect(lockNumber('ab')).not.toBe(lockNumber('ab', ''))
  })
})
