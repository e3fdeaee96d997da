/** The parts of a comma-separated list; none for an absent one. */
export function listOf(text: string | undefined): string[] | undefined {
  return text?.split(',').flatMap(part => part.trim() || [])
}

/** A whole number; NaN, which no command accepts, for any other text. */
export function numberOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  return /^\d+$/u.test(text) ? Number(text) : Number.NaN
}
