import type { JsonObject } from '../../../server/src/kernel/schema/index.ts'
import type { Random } from '../../support/random.ts'
import type { Kind } from '../world.ts'
import { customOptions, type Surroundings } from './surroundings.ts'

/** One of these; the first ones are much more frequent than the last ones. */
export function skewed<Item>(random: Random, items: readonly Item[]): Item {
  const item = items[Math.floor(random.next() ** 2 * items.length)]
  if (item === undefined) throw new Error('the list to choose from is empty')
  return item
}

/** Words that differ in case and accents alone, that begin alike, and that UTF-16 sorts differently. */
const words = [
  'alpha',
  'Alpha',
  'Álpha',
  'beta',
  'Bêta',
  'Ёлка',
  'елка',
  'alphabet',
  'Straße',
  'gamma',
  'Ольга',
  '\u{1F332} fir',
  '\uE000 private',
  '李',
]
const long = 'x'.repeat(99)
const texts = (random: Random) =>
  random.next() < 0.1
    ? `${long}${random.pick(['', 'A', 'b', 'Ab', 'aa'])}`
    : [skewed(random, words), ...(random.next() < 0.5 ? [skewed(random, words)] : [])].join(' ')

/** Addresses and numbers, each in several spellings. */
const addresses = [
  ['anna@example.com', 'Anna@Example.com'],
  ['bert@example.com'],
  ['alphabet@example.org'],
  ['żaneta@example.com'],
]
const numbers = [['+1 212 736 5000', '+12127365000', '(212) 736-5000'], ['0012127365002'], ['12345'], ['212-736-5001']]
const dates = ['2026-03-01', '2026-03-02', '2026-02-28', '2025-12-31', '2026-03-31', '2024-02-29']
const times = dates.flatMap(date => [`${date}T18:29:59.999Z`, `${date}T18:30:00.000Z`, `${date}T09:00:00.000Z`])
const amounts = ['0', '9.9', '10', '11', '9.99', '100000000000.01', '100000000000.02', '10.5']

/** A member that is empty as often as that. */
const maybe = <Value>(random: Random, empty: number, value: () => Value): Value | null =>
  random.next() < empty ? null : value()

function contactData(random: Random, canBeEmpty: boolean): JsonObject {
  const some = (all: readonly (readonly string[])[]) =>
    random.some(all, 2).map(spellings => ({ value: random.pick(spellings) }))
  const phones = random.next() < 0.5 ? [] : some(numbers)
  return { phones, emails: random.next() < 0.4 && (canBeEmpty || phones.length > 0) ? [] : some(addresses) }
}

function customFields(random: Random, { operators }: Surroundings): JsonObject {
  const all: JsonObject = {
    text: maybe(random, 0.3, () => skewed(random, ['red', 'Red', 'two words & = %', 'é'])),
    number: maybe(random, 0.3, () => skewed(random, ['1', '1.50', '-3', '10'])),
    boolean: maybe(random, 0.3, () => random.next() < 0.7),
    date: maybe(random, 0.3, () => skewed(random, dates)),
    datetime: maybe(random, 0.3, () => skewed(random, times)),
    select: maybe(random, 0.3, () => skewed(random, customOptions)),
    multiselect: maybe(random, 0.3, () => random.some(customOptions, 3)),
    url: maybe(random, 0.3, () => skewed(random, ['https://example.com', 'https://example.com/?a=1&b=2'])),
    user: maybe(random, 0.3, () => skewed(random, operators)),
  }
  return Object.fromEntries(random.some(Object.entries(all), 9))
}

/** Every member of a kind that a list filters or sorts by and a body gives, apart from references. */
export function membersOf(kind: Kind, random: Random, surroundings: Surroundings): JsonObject {
  const operator = () => skewed(random, surroundings.operators)
  const custom = { customFields: customFields(random, surroundings) }
  switch (kind) {
    case 'contact': {
      const firstName = maybe(random, 0.4, () => texts(random).slice(0, 100))
      const lastName = maybe(random, 0.4, () => texts(random).slice(0, 100))
      return {
        firstName,
        lastName,
        middleName: maybe(random, 0.8, () => skewed(random, words)),
        jobTitle: maybe(random, 0.5, () => texts(random)),
        ownerUuid: maybe(random, 0.3, operator),
        contactData: contactData(random, firstName !== null || lastName !== null),
        ...custom,
      }
    }
    case 'company':
      return {
        name: texts(random),
        legalName: maybe(random, 0.6, () => texts(random)),
        ownerUuid: maybe(random, 0.3, operator),
        contactData: contactData(random, true),
        ...custom,
      }
    case 'deal':
      return {
        title: texts(random),
        amount: maybe(random, 0.3, () => skewed(random, amounts)),
        priority: maybe(random, 0.3, () => skewed(random, ['medium', 'high', 'low', 'urgent'])),
        ownerUuid: maybe(random, 0.3, operator),
        expectedCloseDate: maybe(random, 0.3, () => skewed(random, dates)),
        ...custom,
      }
    case 'task':
      return {
        title: texts(random),
        status: skewed(random, ['todo', 'done', 'in_progress', 'canceled']),
        priority: skewed(random, ['medium', 'high', 'low', 'urgent']),
        assigneeUuid: maybe(random, 0.3, operator),
        dueDate: maybe(random, 0.3, () => skewed(random, random.next() < 0.5 ? dates : times)),
        ...custom,
      }
  }
}
