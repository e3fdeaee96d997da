import { readFileSync } from 'node:fs'

/** A column of an export: its header, the field that it is for, and a value. */
export interface ListedColumn {
  readonly header: string
  readonly field: string | null
  readonly cell: string
}

/** A file that a product exports. */
export interface ListedFile {
  readonly product: string
  readonly entityType: 'contacts' | 'companies'
  readonly columns: readonly ListedColumn[]
}

/**
 * The exports in a list beside this file, with a blank line between them. A line such as `contacts: Copper, people` begins an export; each
 * further line is a column: `Website`, `E-mail -> email1`, `Owner -> ownerEmail = olga@example.com`.
 */
export function listedFiles(name: string): readonly ListedFile[] {
  const text = readFileSync(new URL(`${name}.txt`, import.meta.url), 'utf8')
  return text
    .trim()
    .split('\n\n')
    .map(block => {
      const [title = '', ...lines] = block.split('\n')
      const [type, product = ''] = title.split(': ')
      return { product, entityType: type === 'companies' ? 'companies' : 'contacts', columns: lines.map(listedColumn) }
    })
}

function listedColumn(line: string): ListedColumn {
  const [told = '', cell = ''] = line.split(' = ')
  const [header = '', field = null] = told.split(' -> ')
  return { header, field, cell }
}
