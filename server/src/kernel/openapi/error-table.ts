import { type CatalogueEntry, errorCatalogue } from '../errors/index.ts'

/** All codes with their entries in the catalogue, in its order. */
export const catalogue: readonly (readonly [code: string, CatalogueEntry])[] = Object.entries(errorCatalogue)

/** Every status of a failure, in order. */
export const errorStatuses: readonly number[] = [...new Set(catalogue.flatMap(([, { statuses }]) => statuses))].sort(
  (one, other) => one - other,
)

/** What a failure with a code means, and whether the client may send the same request again: two sentences. */
export function explained({ meaning, again, next }: CatalogueEntry): string {
  return `${meaning} The same request ${again ? 'may be sent again,' : 'is refused again:'} ${next}.`
}

/** The table of all codes, in Markdown, for the introduction of the document and for the contract. */
export function errorTable(): string {
  const rows = catalogue.map(
    ([code, { statuses, meaning, again, next }]) =>
      `| ${statuses.join(', ')} | \`${code}\` | ${meaning} | ${again ? 'yes,' : 'no:'} ${next} |`,
  )
  return ['| Status | Code | Meaning | May the same request be sent again? |', '|---|---|---|---|', ...rows].join('\n')
}
