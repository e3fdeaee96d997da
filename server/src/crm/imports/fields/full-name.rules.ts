/** The parts of the name of a person. */
export interface NameParts {
  readonly firstName: string | null
  readonly middleName: string | null
  readonly lastName: string | null
}

/**
 * Splits a full name. The part before a comma is the last name, otherwise the last word with the particles before it, as in `van der Berg`.
 * Forms of address, academic titles and suffixes such as `Jr.` are left out. The last name comes first in names of Chinese, Japanese or
 * Korean characters, where the third word is a Russian patronymic, and wherever `isLastNameFirst` says so; then the third and later words are
 * the middle name. A single word is the last name.
 */
export function splitFullName(text: string, isLastNameFirst: boolean): NameParts {
  const [before = text, ...behind] = text.split(',').filter(part => part.trim() !== '' && !isSuffix(part.trim()))
  const words = wordsOf(before)
  if (behind.length > 0) return parts(wordsOf(behind.join(' ')), [], words)
  const isReversed = isLastNameFirst || isAsian.test(words.join('')) || hasPatronymicAtEnd(words)
  return isReversed ? lastNameFirst(words) : firstNameFirst(words)
}

/** Whether a text is only a form of address or an academic title, such as `Dr.`. */
export function isHonorific(text: string): boolean {
  return (
    text.trim() !== '' &&
    text
      .trim()
      .split(/\s+/u)
      .every(word => honorific.test(word))
  )
}

/** The words of a name, without titles before it and suffixes behind it, unless there is nothing else. */
function wordsOf(name: string): readonly string[] {
  const words = name
    .trim()
    .split(/\s+/u)
    .filter(word => word !== '')
  const from = words.findIndex(word => !honorific.test(word))
  const to = words.findLastIndex(word => !isSuffix(word))
  const kept = words.slice(Math.max(from, 0), to + 1)
  return kept.length > 0 ? kept : words
}

const honorific =
  /^(?:mrs?|ms|miss|mx|sir|dr|prof|professor|rev|hon|herrn?|frau|hr|fr|mme|mlle|monsieur|madame|sra?|srta|г-н|г-жа|господин|госпожа|д-р|проф)\.?$|^(?:med|rer|nat|phil|jur|habil|ing|dipl|h\.c|dipl\.?-ing)\.$/iu
const suffix = /^(?:jr|sr|phd|esq)$/iu
const capitalSuffix = /^(?:II|III|IV|MD|JD|MBA|CPA|DDS|MSc|BSc)$/u

function isSuffix(word: string): boolean {
  const plain = word.replaceAll('.', '')
  return suffix.test(plain) || capitalSuffix.test(plain)
}

const isAsian = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}ー]+$/u
const patronymic = /(?:[оеё]вич|ьич|[оеё]вна|ична|\s(?:оглы|кызы|улы))$/iu

/** Whether a patronymic ends the name, as in `Петрова Анна Ивановна`; a last name may look like one: `Иван Ильич Петрович`. */
function hasPatronymicAtEnd(words: readonly string[]): boolean {
  return (
    words.length > 2 &&
    patronymic.test(words.slice(-2).join(' ')) &&
    !words.slice(1, 2).some(word => patronymic.test(word))
  )
}

function lastNameFirst(words: readonly string[]): NameParts {
  const end = words.findIndex(word => !isParticle(word))
  const from = Math.max(end, 0) + 1
  return parts(words.slice(from, from + 1), words.slice(from + 1), words.slice(0, from))
}

/** Particles belong to the last name. Those that are also first names are recognized only in lower case. */
const particle = /^(?:da|do|du|dos|das|la|le|el|al|ben|abu|ter|ten|te|zu|zur|zum|vom|op|het|af|av)$/u
const sureParticle = /^(?:van|von|der|den|de|del|della|di|bin|ibn)$/iu

function isParticle(word: string): boolean {
  return particle.test(word) || sureParticle.test(word)
}

function firstNameFirst(words: readonly string[]): NameParts {
  const [first = ''] = words
  const beginsWithParticle = isParticle(first) && first === first.toLowerCase()
  const from = words.findLastIndex((word, index) => index < words.length - 1 && !isParticle(word)) + 1
  // A capitalized particle at the beginning is a first name, as in `Van Morrison`.
  const start = beginsWithParticle ? 0 : Math.max(from, Math.min(1, words.length - 1))
  const [, second = ''] = words
  const isThree = start === 2 && words.length === 3 && patronymic.test(second)
  return isThree ? parts([first], [second], words.slice(2)) : parts(words.slice(0, start), [], words.slice(start))
}

function parts(first: readonly string[], middle: readonly string[], last: readonly string[]): NameParts {
  const text = (words: readonly string[]) => (words.length === 0 ? null : words.join(' '))
  return { firstName: text(first), middleName: text(middle), lastName: text(last) }
}
