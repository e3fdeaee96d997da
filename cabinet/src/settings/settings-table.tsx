import type { ReactNode } from 'react'

/** A column of a table of settings. The cells of the first one name their rows. */
export interface SettingsColumn<Item> {
  readonly title: string
  /** Its width: `c-xs`, `c-s`, `c-m`, `c-l`. Without it the column takes what is left. */
  readonly width?: string
  /** Small screens leave it out. */
  readonly isWide?: boolean
  readonly isNumber?: boolean
  readonly cell: (item: Item, index: number) => ReactNode
}

interface SettingsTableProps<Item> {
  readonly label: string
  readonly columns: readonly SettingsColumn<Item>[]
  readonly items: readonly Item[]
  /** What it says when there are none. */
  readonly empty: string
  readonly isTall?: boolean
}

/** Settings of one kind, a row each. On small screens rows are blocks, so the roles of a table are said once more. */
export function SettingsTable<Item extends { readonly id: string }>({
  label,
  columns,
  items,
  empty,
  isTall = false,
}: SettingsTableProps<Item>) {
  if (items.length === 0) return <p className="muted">{empty}</p>
  const classOf = ({ isWide, isNumber }: SettingsColumn<Item>) =>
    [isWide ? 'col-wide' : '', isNumber ? 'num' : ''].filter(Boolean).join(' ')
  return (
    <div className="grid-plain">
      <table className="grid" role="table" aria-label={label}>
        <colgroup>
          {columns.map(column => (
            <col
              key={column.title}
              className={[column.width, column.isWide ? 'col-wide' : ''].filter(Boolean).join(' ')}
            />
          ))}
        </colgroup>
        <thead role="rowgroup">
          <tr role="row">
            {columns.map(column => (
              <th key={column.title} scope="col" role="columnheader" className={classOf(column)}>
                {column.title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {items.map((item, index) => (
            <tr key={item.id} role="row" className={isTall ? 'tall' : undefined}>
              {columns.map((column, place) =>
                place === 0 ? (
                  <th key={column.title} scope="row" role="rowheader">
                    {column.cell(item, index)}
                  </th>
                ) : (
                  <td key={column.title} role="cell" className={classOf(column)}>
                    {column.cell(item, index)}
                  </td>
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
