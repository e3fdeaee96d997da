import { i18n } from '@lingui/core'

export const languages = ['en', 'de', 'ru'] as const

/** A language of the pages. */
export type Language = (typeof languages)[number]

/** What each language calls itself. */
export const nameOfLanguage: Readonly<Record<Language, string>> = { en: 'English', de: 'Deutsch', ru: 'Русский' }

const remembered = 'crm-language'

const catalogs = {
  en: () => import('virtual:catalog/en'),
  de: () => import('virtual:catalog/de'),
  ru: () => import('virtual:catalog/ru'),
}

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
  const { messages } = await catalogs[language]()
  i18n.loadAndActivate({ locale: language, messages })
  document.documentElement.lang = language
  localStorage.setItem(remembered, language)
}
