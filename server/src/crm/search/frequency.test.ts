import { describe, expect, it } from 'vitest'
import { standsIn, termOf } from '../../kernel/index.ts'
import { alsoChecked, askFor, beginsIn, isWholeIn, partsStandIn } from './frequency.ts'

const all = { contactData: true, customFields: true }
const recordOf = (names: string, contact = '', custom = '') => ({
  kind: 'contact',
  names,
  contact_data: contact,
  custom_fields: custom,
})

/** The newest records, of which each of these words stands in so many, as its share of a hundred. */
const newestWith = (shares: Readonly<Record<string, number>>) =>
  Array.from({ length: 100 }, (_, at) =>
    recordOf(
      Object.keys(shares)
        .filter(word => at < (shares[word] ?? 0))
        .join(' '),
    ),
  )
const conditionOf = (word: string, isIndexed = true) => ({
  text: word,
  isIndexed,
  holds: standsIn(termOf(word), all),
})

describe('a search with several conditions', () => {
  it('looks for rare ones in indexes, and checks frequent ones', () => {
    const newest = newestWith({ anna: 8, gmail: 40, okafor: 1 })
    const conditions = ['anna', 'okafor', 'gmail', 'zbigniew'].map(word => conditionOf(word))
    expect(askFor(conditions, newest)).toMatchObject({
      lead: ['okafor', 'zbigniew'],
      checked: { first: ['anna', 'gmail'], last: [] },
    })
  })

  it('begins with the rarest one that an index answers, where none is rare', () => {
    const newest = newestWith({ anna: 8, gmail: 40 })
    const conditions = [conditionOf('xx', false), conditionOf('gmail'), conditionOf('anna')]
    expect(askFor(conditions, newest)).toMatchObject({ lead: ['anna'], checked: { first: ['xx', 'gmail'] } })
  })

  it('looks for all in indexes where it knows nothing of the newest records, or where no index answers one', () => {
    expect(askFor([conditionOf('anna'), conditionOf('gmail')], [])).toMatchObject({
      lead: ['anna', 'gmail'],
      checked: { first: [], last: [] },
    })
    expect(askFor([conditionOf('xx', false)], newestWith({}))).toMatchObject({ lead: ['xx'], checked: { first: [] } })
  })

  it('checks the cheaper form of a condition first in records that are read anyway', () => {
    const conditions = [{ ...conditionOf('anna'), quick: 'part' }, conditionOf('okafor')]
    expect(askFor(conditions, newestWith({ anna: 40, okafor: 1 }))).toMatchObject({
      lead: ['okafor'],
      checked: { first: ['part'], last: ['anna'] },
      scanned: { first: ['part', 'okafor'], last: ['anna'] },
    })
  })

  it('checks what few records lack after what is checked anyway, and else in the records of an index', () => {
    const found = askFor([conditionOf('anna')], [])
    expect(alsoChecked(found, 'new')).toMatchObject({
      lead: ['anna', 'new'],
      scanned: { first: ['anna'], last: ['new'] },
    })
    const checked = askFor([conditionOf('anna'), conditionOf('okafor')], newestWith({ anna: 40, okafor: 1 }))
    expect(alsoChecked(checked, 'new')).toMatchObject({ lead: ['okafor'], checked: { first: ['anna'], last: ['new'] } })
  })

  it('counts them as frequent if a tenth of the records meets all, and as common if a tenth meets each', () => {
    const asked = (anna: number, gmail: number) =>
      askFor([conditionOf('anna'), conditionOf('gmail')], newestWith({ anna, gmail }))
    expect(asked(10, 10)).toMatchObject({ isFrequent: true, isCommon: true })
    expect(asked(9, 100)).toMatchObject({ isFrequent: false, isCommon: false })
    const apart = [...newestWith({ anna: 10 }).slice(0, 10), ...newestWith({ gmail: 10 }).slice(0, 10)]
    expect(askFor([conditionOf('anna'), conditionOf('gmail')], apart)).toMatchObject({
      isFrequent: false,
      isCommon: true,
    })
  })
})

describe('a term', () => {
  const record = recordOf('anna-maria petrova', 'anna.p@example.com 4912345', 'gold standard')

  it('stands in names, contact data or custom fields, as far as they are looked at', () => {
    for (const [word, stands] of [
      ['trov', true],
      ['.p@ex', true],
      ['stand', true],
      ['keller', false],
    ] as const)
      expect([word, standsIn(termOf(word), all)(record)]).toEqual([word, stands])
    const namesAlone = { contactData: false, customFields: false }
    expect(['.p@ex', 'stand'].map(word => standsIn(termOf(word), namesAlone)(record))).toEqual([false, false])
  })

  it('begins words behind nothing, a space or a hyphen', () => {
    const begin = (word: string) => beginsIn(termOf(word), all)(record)
    expect(['an', 'ma', 'pe', '49', 'go'].map(begin)).toEqual([true, true, true, true, true])
    expect(['ar', 'ex', 'om'].map(begin)).toEqual([false, false, false])
  })

  it('is whole as words of names, an address or a number, and in parts in any order', () => {
    const isWhole = (word: string) => isWholeIn(termOf(word), all)(record)
    expect(['maria', 'petrova', 'anna.p@example.com', '4912345'].map(isWhole)).toEqual([true, true, true, true])
    expect(['petrov', 'example.com'].map(isWhole)).toEqual([false, false])
    expect(partsStandIn(termOf('petrova.anna'), all)(record)).toBe(true)
    expect(partsStandIn(termOf('petrova.keller'), all)(record)).toBe(false)
  })

  it('of marks alone is no whole word, and stands where it is written', () => {
    const plus = recordOf('c++ and friends')
    expect([isWholeIn, partsStandIn].map(holds => holds(termOf('++'), all)(record))).toEqual([false, false])
    expect([isWholeIn, partsStandIn].map(holds => holds(termOf('++'), all)(plus))).toEqual([false, true])
  })
})
