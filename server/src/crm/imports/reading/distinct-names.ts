import { bounds } from '../../../kernel/limits/index.ts'
import { isBlank, searchForm } from '../../../kernel/schema/index.ts'

/** No company has a longer name. */
const longestName = 300

/**
 * Collects the different names in the cells of a column, ignoring case, spaces and accents: the first ones if there are too many. Names in
 * too many spellings are compared anew in each cell.
 */
export class DistinctNames {
  readonly #names = new Map<string, string>()
  /** Cells that were added: most cells repeat one of another row letter by letter. */
  readonly #known = new Set<string>()

  add(cell: string): void {
    const { most } = bounds.importNamedCompanies
    if (cell.length > longestName || this.#names.size >= most || this.#known.has(cell)) return
    if (isBlank(cell)) return
    const form = searchForm(cell)
    if (this.#known.size < most) this.#known.add(cell)
    if (!this.#names.has(form)) this.#names.set(form, cell.trim())
  }

  /** How many cells are kept for comparison. */
  get cells(): number {
    return this.#known.size
  }

  get names(): readonly string[] {
    return [...this.#names.values()]
  }
}
