import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  beforeAllIds,
  chosenIdSchema,
  exampleExternalId,
  isChosenId,
  isExternalId,
  isUuid,
  lockNumber,
  namedId,
  newId,
} from './ids.ts'
import { tidyText } from './text.ts'
import { compileSchema } from './validator.ts'

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

  it('ends with random bits, so that one id does not reveal the next', () => {
    const ends = Array.from({ length: 3000 }, () => newId().slice(-8))
    // A few numbers of 32 bits may be equal by chance.
    expect(new Set(ends).size).toBeGreaterThan(2990)
  })
})

describe('a walk along ids', () => {
  it('begins before all of them', () => {
    expect([isUuid(beforeAllIds), beforeAllIds < newId()]).toEqual([true, true])
  })
})

describe('an id that a client chooses', () => {
  const asDocumented = compileSchema(chosenIdSchema)

  it.each([
    ...['a', 'Tea-Pot_1.2:3', 'x'.repeat(100), chosenIdSchema.example].map(id => [id, true] as const),
    ...['', 'x'.repeat(101), 'a b', 'a/b', 'ä', 'a\n', '!a'].map(id => [id, false] as const),
  ])('%j is one: %s, and the document says so', (id, isOne) => {
    expect(isChosenId(id)).toBe(isOne)
    expect(asDocumented(id, '').length === 0).toBe(isOne)
    expect(asDocumented(1, '')).toHaveLength(1)
  })
})

describe('the id of a record that its client has named', () => {
  const parent = '0197e2a4-0000-7000-8000-000000000001'

  it('is the same in every release, because it is stored', () => {
    expect(namedId(parent, 'tea-pot-1')).toBe('b2cb4e2d-00b7-8a30-ac01-a4f461e6b9ee')
    expect(namedId(parent, 'tea-pot-2')).toBe('c52ec3a3-1ab8-8b8f-a229-4ddefa0726e2')
  })

  it('is a UUID of version 8, another one for each parent and name', () => {
    const names = Array.from({ length: 100 }, (_, index) => `n${index}`)
    const ids = [...names.map(name => namedId(parent, name)), ...names.map(name => namedId('other', name))]
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/u)
    expect(new Set([...ids, namedId('a', 'bc'), namedId('ab', 'c')]).size).toBe(202)
  })
})

describe('isExternalId', () => {
  it('takes the keys of the examples in the documentation', () => {
    expect(isExternalId(exampleExternalId)).toBe(true)
  })

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

  it('is the same in every release, because two of them share a database while servers are replaced', () => {
    expect(lockNumber('key', 'a')).toBe('1388380186853491987')
  })

  it('depends on where one part ends and the next begins', () => {
    expect(lockNumber('ab', 'c')).not.toBe(lockNumber('a', 'bc'))
    expect(lockNumber('ab')).not.toBe(lockNumber('ab', ''))
  })
})
