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

/**
 * Members that every record has, with the PostgreSQL types of their columns. The author of a nested record is a field.
 */
export function headOf(parent: Parent | null): Readonly<Record<string, string>> {
  return parent === null ? recordHead : nestedHead
}
