/** A cell of a list by its place: the row among those that are there, the column from the left. */
export interface CellPlace {
  readonly row: number
  readonly column: number
}

/** A place that stays with its record when others come and go above it. */
export interface RecordPlace extends CellPlace {
  readonly id: string | undefined
}

/** The row in which a place is now: that of its record, or where that was before it went away. */
export function rowOf({ row, id }: RecordPlace, rows: readonly { readonly id: string }[]): number {
  const last = Math.max(0, rows.length - 1)
  if (id === undefined || rows[row]?.id === id) return Math.min(row, last)
  const found = rows.findIndex(record => record.id === id)
  return found === -1 ? Math.min(row, last) : found
}

/** What a key does in a list. */
export type GridAction =
  | { readonly do: 'go'; readonly to: CellPlace }
  | {
      readonly do:
        | 'select'
        | 'open'
        | 'edit-cell'
        | 'edit'
        | 'complete'
        | 'leave'
        | 'select-range-up'
        | 'select-range-down'
    }

export interface GridShape {
  readonly rows: number
  readonly columns: number
  /** How many rows are visible at once. */
  readonly page: number
  /** Whether the cell can be edited where it stands. */
  readonly isEditable: boolean
  /** Whether single letters are keys. */
  readonly hasLetters: boolean
}

interface Pressed {
  readonly key: string
  readonly ctrlKey: boolean
  readonly metaKey: boolean
  readonly altKey: boolean
  readonly shiftKey: boolean
}

/** What a key does at a place; undefined: nothing, so that the browser or the page may take it. */
export function actionOf(
  { key, ctrlKey, metaKey, altKey, shiftKey }: Pressed,
  at: CellPlace,
  shape: GridShape,
): GridAction | undefined {
  if (altKey) return undefined
  const isFar = ctrlKey || metaKey
  const go = (row: number, column: number): GridAction => ({ do: 'go', to: within({ row, column }, shape) })
  switch (key) {
    case 'ArrowDown':
      return shiftKey ? { do: 'select-range-down' } : go(at.row + 1, at.column)
    case 'ArrowUp':
      return shiftKey ? { do: 'select-range-up' } : go(at.row - 1, at.column)
    case 'ArrowRight':
      return go(at.row, at.column + 1)
    case 'ArrowLeft':
      return go(at.row, at.column - 1)
    case 'PageDown':
      return go(at.row + shape.page, at.column)
    case 'PageUp':
      return go(at.row - shape.page, at.column)
    case 'Home':
      return isFar ? go(0, 0) : go(at.row, 0)
    case 'End':
      return isFar ? go(shape.rows - 1, shape.columns - 1) : go(at.row, shape.columns - 1)
    case 'Enter':
      return isFar ? undefined : { do: shape.isEditable ? 'edit-cell' : 'open' }
    case 'F2':
      return shape.isEditable ? { do: 'edit-cell' } : undefined
    case ' ':
      return isFar ? undefined : { do: 'select' }
    case 'Escape':
      return { do: 'leave' }
    default:
      return isFar || shiftKey || !shape.hasLetters ? undefined : letterOf(key, at, go)
  }
}

function letterOf(key: string, at: CellPlace, go: (row: number, column: number) => GridAction): GridAction | undefined {
  if (key === 'j') return go(at.row + 1, at.column)
  if (key === 'k') return go(at.row - 1, at.column)
  if (key === 'x') return { do: 'select' }
  if (key === 'f') return { do: 'complete' }
  return key === 'e' ? { do: 'edit' } : undefined
}

function within({ row, column }: CellPlace, { rows, columns }: GridShape): CellPlace {
  const bounded = (value: number, count: number) => Math.max(0, Math.min(value, count - 1))
  return { row: bounded(row, rows), column: bounded(column, columns) }
}
