/**
 * How a word may be written in the other of the two scripts, the likeliest form first. Spelling has no single rule: Юлия is Yulia, Julia
 * and Iuliia, so each letter has several transliterations, and the forms are all their combinations, up to `most`. Words are normalized for
 * comparison: й is и and ё is е. A word that mixes both scripts, because a letter looks like another, is written in each of them.
 */
export function transliterations(word: string, most: number): string[] {
  return [
    ...(/[а-я]/u.test(word) ? spellings(word, toLatin, most) : []),
    ...(/[a-z]/u.test(word) ? spellings(word, toCyrillic, most) : []),
  ]
}

type Letters = ReadonlyMap<string, readonly string[]>

/** Each text with the number of its less likely choices, the fewest first. */
interface Spelling {
  readonly text: string
  readonly doubt: number
}

const mostDoubt = 2

function spellings(word: string, letters: Letters, most: number): string[] {
  // The possible forms of the first n characters; longer groups of letters before shorter ones.
  const begun: Spelling[][] = [[{ text: '', doubt: 0 }]]
  for (let from = 0; from < word.length; from += 1) {
    const before = (begun[from] ?? []).toSorted((one, other) => one.doubt - other.doubt).slice(0, most)
    const groups = [4, 3, 2, 1].filter(
      length => from + length <= word.length && (length === 1 || letters.has(word.slice(from, from + length))),
    )
    for (const [place, length] of groups.entries()) {
      const group = word.slice(from, from + length)
      const choices = letters.get(group) ?? [group]
      const isEnd = from + length === word.length
      for (const [rank, choice] of [...choices, ...(isEnd ? endings(word.slice(from)) : [])].entries()) {
        const next = before.map(({ text, doubt }) => ({ text: text + choice, doubt: doubt + rank + place }))
        begun[from + length] = [...(begun[from + length] ?? []), ...next.filter(({ doubt }) => doubt <= mostDoubt)]
      }
    }
  }
  const whole = (begun[word.length] ?? []).toSorted((one, other) => one.doubt - other.doubt)
  return [...new Set(whole.map(({ text }) => text))].slice(0, most)
}

/** At the end of a word, y usually stands for ий. */
const endings = (last: string) => (last === 'y' ? ['ии', 'ыи'] : [])

const table = (text: string): Letters =>
  new Map(
    text
      .trim()
      .split(/\s+/u)
      .map(entry => {
        const [letters = '', choices = ''] = entry.split(':')
        return [letters, choices.split('|')]
      }),
  )

const toCyrillic = table(`
  a:а b:б c:к|ц|с d:д e:е|э f:ф g:г h:х|г i:и j:ж|дж|и k:к l:л m:м n:н o:о p:п q:к r:р s:с t:т u:у v:в w:в x:кс
  y:и|ы z:з shch:щ sch:щ|ш sh:ш ch:ч tch:ч zh:ж kh:х ph:ф th:т ck:к ts:ц|тс tz:ц ks:кс|х dzh:дж oo:у ee:и
  ya:я|ья ja:я ia:ия|я yu:ю|ью ju:ю iu:ию|ю yo:е|ье jo:е|ио ye:е|ье je:е yi:ыи|и iy:ии ij:ии yy:ыи iya:ия ey:еи
  ei:еи ay:аи ai:аи oy:ои oi:ои uy:уи
`)

const toLatin = table(`
  а:a б:b в:v|w г:g|h д:d е:e|ye|yo ж:zh|j з:z и:i|y|j к:k|c л:l м:m н:n о:o п:p р:r с:s|c т:t у:u|oo ф:f|ph
  х:kh|h|x ц:ts|c|tz ч:ch ш:sh|sch щ:shch|sch ъ: ы:y|i ь: э:e ю:yu|iu|ju я:ya|ia|ja кс:x|ks дж:j|dzh
  ия:ia|iya|iia ии:y|iy|ii|i ыи:y|yy|iy ья:ya|ia ье:ye|yo|ie
`)
