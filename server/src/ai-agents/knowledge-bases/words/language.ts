/** The languages with stemming, by the names of their PostgreSQL text search configurations. */
export const languages = ['english', 'german', 'russian'] as const
export type Language = (typeof languages)[number] | 'simple'

/** Words that are in every text of a language, and not in texts of the others. */
const commonWords: Readonly<Record<'english' | 'german', ReadonlySet<string>>> = {
  english: new Set(
    (
      'the and of to for with that this from are is be by on it which have has had not you your we our they their can ' +
      'will if when how what where who why does do did should must may at or as an been than into there these after'
    ).split(' '),
  ),
  german: new Set(
    (
      'der die das und ist nicht mit für auf ein eine einer eines einem einen den dem des von zu zum zur im wird werden ' +
      'sind sich auch nach bei oder wie wenn bis aus über kann können muss müssen wir sie ihr ihre unser welche welcher ' +
      'welches wer wo warum wann vom beim durch haben hat darf dürfen gibt es keine kein ich'
    ).split(' '),
  ),
}

/** The language of a text by its script and its most common words; null if neither determines it. */
export function languageOf(words: readonly string[]): Language | null {
  let cyrillic = 0
  const counts = { english: 0, german: 0 }
  for (const word of words) {
    if (/\p{Script=Cyrillic}/u.test(word)) cyrillic += 1
    if (commonWords.english.has(word)) counts.english += 1
    if (commonWords.german.has(word)) counts.german += 1
    if (/[äöüß]/u.test(word)) counts.german += 1
  }
  if (cyrillic * 2 > words.length) return 'russian'
  if (counts.english === counts.german) return null
  return counts.english > counts.german ? 'english' : 'german'
}
