export {
  firstLanguage,
  type Language,
  languageOf,
  languages,
  loadLaterTexts,
  nameOfLanguage,
  speak,
} from './language.ts'
export type { Text } from './texts.ts'
export { Said, type Say, useWords, type Values, type Words, wordsOf } from './use-words.tsx'
