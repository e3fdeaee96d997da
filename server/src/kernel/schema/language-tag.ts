/** A language tag in its canonical form: `pt-br` becomes `pt-BR`. Any other value is returned unchanged. */
export function canonicalLanguageTag(value: unknown): unknown {
  return typeof value === 'string' && isLanguageTag(value) ? Intl.getCanonicalLocales(value)[0] : value
}

/** Whether a text is a language tag of BCP 47, such as `pt-BR`. */
export function isLanguageTag(text: string): boolean {
  try {
    return Intl.getCanonicalLocales(text).length === 1
  } catch {
    return false
  }
}
