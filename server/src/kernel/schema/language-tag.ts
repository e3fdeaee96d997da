/** Whether a text is a language tag of BCP 47, such as `pt-BR`. */
export function isLanguageTag(text: string): boolean {
  try {
    return Intl.getCanonicalLocales(text).length === 1
  } catch {
    return false
  }
}
