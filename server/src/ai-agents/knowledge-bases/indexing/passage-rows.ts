import type { Passage } from '../extraction/passage.ts'
import { type Language, languageOf } from '../words/language.ts'
import { tokensOf } from '../words/tokens.ts'

/** Properties of the words of a whole file. The rows of a table alone do not show in which language they are. */
export interface FileWords {
  readonly language: Language
  /** The name of the file. */
  readonly name: string
}

/** The most frequent language of the passages of a file. */
export async function languageOfFile(portions: AsyncIterable<readonly Passage[]>): Promise<Language> {
  const counts = new Map<Language, number>()
  for await (const passages of portions) {
    for (const { text, heading } of passages) {
      const language = languageOf(tokensOf(`${heading}\n${text}`))
      if (language !== null) counts.set(language, (counts.get(language) ?? 0) + 1)
    }
  }
  const [most] = [...counts].toSorted(([, one], [, other]) => other - one)
  return most?.[0] ?? 'simple'
}

/** Passages as rows for `insertPassages`, numbered from `first` on. */
export function passageRows(passages: readonly Passage[], first: number, file: FileWords) {
  const nameWords = tokensOf(file.name.replace(/\.[^.]*$/u, '')).join(' ')
  return passages.map(({ text, heading, page, row }, index) => {
    const words = tokensOf(text)
    const headingWords = tokensOf(heading)
    return {
      number: first + index,
      language: languageOf([...words, ...headingWords]) ?? file.language,
      text,
      heading,
      page,
      sheet: row?.sheet ?? null,
      line: row?.line ?? null,
      length: words.length + headingWords.length,
      words: words.join(' '),
      headingWords: headingWords.join(' '),
      nameWords,
    }
  })
}
