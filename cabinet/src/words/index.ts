export { firstLanguage, languageOf, loadLaterTexts, nameOfLanguage, speak } from './language.ts'
export { type Language, languages } from './languages.ts'
export type { Text } from './texts.ts'
export { Said, type Say, useWords, type Words, wordsOf } from './use-words.tsx'
