/** The columns of a file that a product exports, and the field that each is for. */
export interface KnownFile {
  readonly product: string
  readonly entityType?: 'contacts' | 'companies'
  readonly header: readonly string[]
  /** What stands in the first row, where it matters. */
  readonly cells?: Readonly<Record<string, string>>
  /** The columns by their fields; of those that are not here none is suggested for a field. */
  readonly mapping: Readonly<Record<string, string>>
}

/** The names in a text with commas between them. */
export function named(text: string): string[] {
  return text.split(',').map(name => name.trim())
}
