import type { Parent } from './resource.ts'

const nestedHead: Readonly<Record<string, string>> = {
  id: 'uuid',
  version: 'bigint',
  createdAt: 'timestamptz',
  updatedAt: 'timestamptz',
}

const recordHead: Readonly<Record<string, string>> = {
  ...nestedHead,
  createdByApplicationId: 'uuid',
  createdByUuid: 'uuid',
  updatedByUuid: 'uuid',
}

/** Members that every record has, with the PostgreSQL type of their columns. A nested one has its author in a field. */
export function headOf(parent: Parent | null): Readonly<Record<string, string>> {
  return parent === null ? recordHead : nestedHead
}
