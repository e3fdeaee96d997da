import { type Column, labelOf, parserOf, plainText, textColumn } from '../column.ts'
import type { JsonObject } from '../json.ts'

/** How many phones and e-mails of a record files contain. */
const filed = [0, 1, 2]

interface Reachable {
  readonly phones: readonly JsonObject[]
  readonly emails: readonly JsonObject[]
  readonly addresses: readonly JsonObject[]
}

/**
 * The columns of contact data: three phones, three e-mails and one address, the primary one of each first, and the birth date of a person.
 */
export function contactDataColumns({ birthDate }: { birthDate: boolean }): Column<Reachable>[] {
  return [
    ...filed.map(index => itemColumn(`phone${index + 1}`, 'phone', 'phones', index, 'value')),
    ...filed.map(index => itemColumn(`email${index + 1}`, 'email', 'emails', index, 'value')),
    ...['country', 'region', 'city', 'postalCode', 'line1', 'line2', 'label'].map(part =>
      itemColumn(`address.${part}`, 'text', 'addresses', 0, part),
    ),
    ...(birthDate ? [textColumn('birthDate', 'date', ['birthDate'])] : []),
  ]
}

function itemColumn(
  key: string,
  type: Column['type'],
  list: keyof Reachable,
  index: number,
  member: string,
): Column<Reachable> {
  return {
    key,
    label: labelOf(key),
    type,
    path: [list, index, member],
    text: value => plainText(primaryFirst(value[list], index)?.[member]),
    parse: parserOf(type),
  }
}

/** The item at this index of the list, with the primary item moved to the beginning. */
function primaryFirst(items: readonly JsonObject[], index: number): JsonObject | undefined {
  const primary = items.findIndex(({ isPrimary }) => isPrimary === true)
  if (primary < 1 || index > primary) return items[index]
  return index === 0 ? items[primary] : items[index - 1]
}
