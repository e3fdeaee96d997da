import { i18n } from '@lingui/core'
import { type Language, languages } from './languages.ts'

/** What each language calls itself. */
export const nameOfLanguage: Readonly<Record<Language, string>> = { en: 'English', de: 'Deutsch', ru: 'Русский' }

const remembered = 'crm-language'

const first = {
  en: () => import('virtual:catalog/first/en'),
  de: () => import('virtual:catalog/first/de'),
  ru: () => import('virtual:catalog/first/ru'),
}
const later = {
  en: () => import('virtual:catalog/later/en'),
  de: () => import('virtual:catalog/later/de'),
  ru: () => import('virtual:catalog/later/ru'),
}
/** Whether something is shown whose texts are among the later ones. */
let needsLater = false

/** The language of an account's locale, or of any other tag: `de-AT` is German. English for those that the pages do not speak. */
export function languageOf(locale: string): Language {
  return languages.find(each => locale.toLowerCase().startsWith(each)) ?? 'en'
}

/** The language before anybody has signed in: the one last used in this browser, or else the browser's. */
export function firstLanguage(): Language {
  const last = languages.find(each => each === localStorage.getItem(remembered))
  const wanted = navigator.languages.find(each => languages.some(language => each.toLowerCase().startsWith(language)))
  return last ?? languageOf(wanted ?? 'en')
}

/** Shows the pages in this language from now on, as soon as its texts are there. */
export async function speak(language: Language): Promise<void> {
  // Without the later texts, what was shown before goes on.
  const others = needsLater ? [later[language]().catch(() => ({ messages: {} }))] : []
  const catalogs = await Promise.all([first[language](), ...others])
  i18n.loadAndActivate({ locale: language, messages: Object.assign({}, ...catalogs.map(({ messages }) => messages)) })
  document.documentElement.lang = language
  localStorage.setItem(remembered, language)
}

/** Loads the texts of what is loaded later than the first page, in the language of the pages. */
export async function loadLaterTexts(): Promise<void> {
  const language = languageOf(i18n.locale)
  const { messages } = await later[language]()
  needsLater = true
  i18n.load(language, messages)
  if (languageOf(i18n.locale) !== language) await loadLaterTexts()
}
