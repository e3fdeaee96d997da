import { findForm, openTable, type SourceForm, UnreadableFile } from '../../../kernel/documents/index.ts'
import { type Block, tidied } from './block.ts'

/** The rows of a text table, or of all sheets of a workbook: each cell behind the name of its column. */
export async function* tableBlocks(path: string): AsyncGenerator<Block> {
  const form = await findForm(path, {})
  if (form.kind === 'csv') return yield* rowBlocks(path, form, null)
  for (const sheetName of form.sheets) yield* rowBlocks(path, { ...form, sheetName }, tidied(sheetName))
}

async function* rowBlocks(path: string, form: SourceForm, sheet: string | null): AsyncGenerator<Block> {
  try {
    const { header, rows } = await openTable(path, form, 1)
    for await (const { line, cells } of rows) {
      const text = cells.flatMap((cell, column) => named(header[column] ?? '', tidied(cell))).join('; ')
      if (text !== '') yield { text, row: { sheet, line } }
    }
  } catch (error) {
    // A sheet with nothing in it is no fault of the file.
    if (!(error instanceof UnreadableFile) || error.reason !== 'no_header') throw error
  }
}

function named(name: string, cell: string): string[] {
  if (cell === '') return []
  return [name === '' ? cell : `${name}: ${cell}`]
}
