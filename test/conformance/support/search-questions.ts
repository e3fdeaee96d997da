import type { Random } from '../../support/random.ts'

/** A person, a company or a deal to find, with what a question may say of it. */
interface Subject {
  readonly key: string
  readonly name: string
}
export interface Person extends Subject {
  readonly firstName: string
  readonly lastName: string
  readonly jobTitle: string
  /** The key of the company where the person works. */
  readonly company: string
}
export interface Firm extends Subject {
  readonly industry: string
}
export interface Sale extends Subject {
  readonly company: string
}

const listed = (text: string) => text.trim().split(/\s+/u)

const firstNames = listed(`
  Anna Bruno Chiara Dieter Elodie Farid Greta Hugo Irina Jonas Katya Leopold Mirela Nadim Odile Pavlina Quentin Rosalia Stefan Tereza
  Umberto Valentin Wiebke Ximena Yusuf Zdeněk Björn François Łucja Søren Анна Борис Вера Глеб Дарья Егор Жанна Захар Ирина Кирилл
  Αλέξης Δέσποινα Νίκος أحمد ليلى 美玲 建国`)
const lastNames = listed(`
  Abendroth Bellucci Castellani Drummond Eriksson Fontaine Grabowski Halvorsen Iglesias Jankovic Kowalczyk Lindholm Moravec Nightingale
  Oyelaran Papadakis Quintero Rautenberg Szymanski Tavares Underwood Vandenberg Wachtmeister Yamashita Zimmermann Gonçalves Núñez
  Kjærgaard Škvorecký Lefèvre Абрамов Белозеров Виноградов Громов Долгорукий Ермаков Журавлев Зимин Калинин Лебедев
  Παπαδόπουλος Νικολάου الحسيني منصور 王 陈`)
const heads = listed(`
  Altavia Brontel Corvania Delmora Estrella Fjordkraft Glavanta Hexalis Isomar Jovantis Kestrelle Lumenor Montaro Nordhavn Orsova
  Pellucid Quintara Rosendal Silvaro Torrento Umbrana Veltrix Westmoor Xylotek Yellowfin Zephyria Ромашка Заря Северянка Ελπίδα`)
const trades = listed('Ceramics Logistics Timber Optics Foods Textiles Software Hydraulics')
const forms = ['GmbH', 'Ltd', 'SARL', 'Inc', 'AB', 'S.p.A.', 'ООО']
const industries = ['Retail', 'Mining', 'Agriculture', 'Insurance', 'Shipbuilding', 'Education']
const jobs = [
  'Head of Purchasing',
  'Accountant',
  'Warehouse Manager',
  'Chief Engineer',
  'Legal Counsel',
  'Quality Inspector',
]
const goods = listed(
  'Shelving Boilers Scanners Uniforms Pallets Turbines Catering Lighting Forklifts Insulation Pumps Conveyors',
)
const occasions = ['renewal', 'pilot', 'phase two', 'maintenance', 'framework', 'spare parts']

const scripts = ['Latin', 'Cyrillic', 'Greek', 'Arabic', 'Han']
const scriptOf = (word: string) => scripts.find(script => new RegExp(`\\p{Script=${script}}`, 'u').test(word))

export interface World {
  readonly people: readonly Person[]
  readonly firms: readonly Firm[]
  readonly sales: readonly Sale[]
}

/** 600 people, 180 companies and 240 deals, the same for the same seed. */
export function makeWorld(random: Random): World {
  const pairs = <One, Other>(ones: readonly One[], others: readonly Other[]) =>
    random.shuffled(ones.flatMap(one => others.map(other => [one, other] as const)))
  const firms = pairs(heads, trades)
    .slice(0, 180)
    .map(([head, trade], at) => ({
      key: `firm-${at}`,
      name: `${head} ${trade} ${random.pick(forms)}`,
      industry: random.pick(industries),
    }))
  // Most names have words of one script, as in life.
  const names = pairs(firstNames, lastNames)
  const isOfOneScript = (each: (typeof names)[number]) => new Set(each.map(scriptOf)).size === 1
  const people = random
    .shuffled([
      ...names.filter(isOfOneScript).slice(0, 450),
      ...names.filter(each => !isOfOneScript(each)).slice(0, 150),
    ])
    .map(([firstName, lastName], at) => ({
      key: `person-${at}`,
      name: `${firstName} ${lastName}`,
      firstName,
      lastName,
      jobTitle: random.pick(jobs),
      company: random.pick(firms).key,
    }))
  const sales = Array.from({ length: 240 }, (_, at) => ({
    key: `sale-${at}`,
    name: `${random.pick(goods)} ${random.pick(occasions)}`,
    company: random.pick(firms).key,
  }))
  return { people, firms, sales }
}

/** What is asked, and the key of the record that is meant. */
export interface Question {
  readonly q: string
  readonly key: string
}

const isLong = (word: string) => /^\p{Script=Latin}{5,}$|^\p{Script=Cyrillic}{5,}$/u.test(word)
const alphabetOf = (word: string) => [...(/[а-я]/iu.test(word) ? 'абвгдежзиклмнопрстуф' : 'abcdefghijklmnoprstuvz')]

/** Each edit changes another part of a word: a letter wrong, missing or too many. */
function edited(word: string, random: Random, edits: number): string {
  const letters = [...word]
  const span = Math.floor(letters.length / edits)
  for (let edit = edits - 1; edit >= 0; edit -= 1) {
    const at = edit * span + random.between(0, span - 1)
    const letter = random.pick(alphabetOf(word).filter(each => each !== letters[at]?.toLowerCase()))
    letters.splice(at, random.pick([0, 1]), ...random.pick([[letter], [letter], []]))
  }
  const text = letters.join('')
  return text === word ? edited(word, random, edits) : text
}

function transposed(word: string, random: Random): string {
  const letters = [...word]
  const places = letters
    .slice(1)
    .flatMap((letter, at) => (letter.toLowerCase() === letters[at]?.toLowerCase() ? [] : [at]))
  const at = random.pick(places)
  return [...letters.slice(0, at), letters[at + 1], letters[at], ...letters.slice(at + 2)].join('')
}

/** A name in which one of the long words is written in another way. */
function withOneWord(name: string, random: Random, write: (word: string) => string): string {
  const words = name.split(' ')
  const places = words.flatMap((word, at) => (isLong(word) ? [at] : []))
  const at = random.pick(places)
  return words.with(at, write(words[at] ?? '')).join(' ')
}

const withoutAccents = (text: string) =>
  text.replaceAll('ø', 'o').replaceAll('Ł', 'L').replaceAll('æ', 'ae').normalize('NFD').replaceAll(/\p{M}/gu, '')

const latin = new Map(
  'а:a б:b в:v г:g д:d е:e ж:zh з:z и:i й:y к:k л:l м:m н:n о:o п:p р:r с:s т:t у:u ф:f х:kh ц:ts ч:ch ш:sh щ:shch ъ: ы:y ь: э:e ю:yu я:ya'
    .split(' ')
    .map(pair => {
      const [letter = '', written = ''] = pair.split(':')
      return [letter, written] as const
    }),
)
const inLatin = (text: string) => [...text.toLowerCase()].map(letter => latin.get(letter) ?? letter).join('')

const titles = ['Dr.', 'Prof.', 'Frau', 'Mr', 'Mme', 'г-н', 'Herr Dr.']
const wrongForms = ['Incorporated', 'Holding', 'Limited', 'AG', 'Corporation']
const extraWords = ['urgent', 'invoice', 'berlin', 'callback', 'новый', '2026']

/** The classes of questions, each with as many as `count`. */
export function makeQuestions({ people, firms, sales }: World, random: Random, count: number) {
  const firmOf = (key: string) => firms.find(firm => firm.key === key)?.name.split(' ') ?? []
  const ask = <Asked extends Subject>(subjects: readonly Asked[], write: (subject: Asked) => string): Question[] =>
    random
      .shuffled(subjects)
      .slice(0, count)
      .map(subject => ({ q: write(subject), key: subject.key }))
  const named = [...people, ...firms].filter(({ name }) => name.split(' ').some(isLong))
  const wordOf = (text: string) => random.pick(text.split(' ').filter(word => word.length > 3))
  return {
    first: {
      'one edit': ask(named, ({ name }) => withOneWord(name, random, word => edited(word, random, 1))),
      'two letters swapped': ask(named, ({ name }) => withOneWord(name, random, word => transposed(word, random))),
      'accents left out': ask(
        people.filter(({ name }) => withoutAccents(name) !== name && /\p{Script=Latin}/u.test(name)),
        ({ name }) => withoutAccents(name),
      ),
      'Cyrillic in Latin letters': ask(
        people.filter(({ name }) => /^[а-я ]+$/iu.test(name)),
        ({ name }) => inLatin(name),
      ),
      'other scripts': ask(
        people.filter(({ name }) => /[\p{Script=Greek}\p{Script=Arabic}\p{Script=Han}]/u.test(name)),
        ({ name }) => name,
      ),
    },
    amongFive: {
      'one word too many': ask([...people, ...firms], ({ name }) => `${name} ${random.pick(extraWords)}`),
      'a title in front': ask(people, ({ name }) => `${random.pick(titles)} ${name}`),
      'a word of the job title': ask(people, ({ name, jobTitle }) => `${name} ${wordOf(jobTitle)}`),
      'the job title for the first name': ask(people, ({ lastName, jobTitle }) => `${jobTitle} ${lastName}`),
      'the industry of a company': ask(
        firms,
        ({ name, industry }) => `${name.split(' ').slice(0, 2).join(' ')} ${industry}`,
      ),
      'another legal form': ask(
        firms,
        ({ name }) => `${name.split(' ').slice(0, 2).join(' ')} ${random.pick(wrongForms)}`,
      ),
      'the company of a deal': ask(sales, ({ name, company }) => `${name} ${firmOf(company).slice(0, 2).join(' ')}`),
      'the company of a contact': ask(people, ({ lastName, company }) => `${lastName} ${firmOf(company)[0] ?? ''}`),
      'two edits': ask(named, ({ name }) => withOneWord(name, random, word => edited(word, random, 2))),
    },
  }
}
