import { columnName } from '../sql/index.ts'
import type { RecordForm } from './resource.ts'

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

/** The settings that these members name. */
export const headSettings: Readonly<Record<string, string>> = {
  createdByApplicationId: 'application',
  createdByUuid: 'operator',
  updatedByUuid: 'operator',
}

/**
 * Whether records stand alone in the API: then applications have keys for them, and their rows hold authors and search
 * texts. Nested records and settings do not.
 */
export function standsAlone({ parent, isSetting }: Pick<RecordForm, 'parent' | 'isSetting'>): boolean {
  return parent === null && !isSetting
}

/**
 * Members that every record has, with the PostgreSQL types of their columns. The author of a nested record is a field.
 */
export function headOf(form: RecordForm): Readonly<Record<string, string>> {
  return standsAlone(form) ? recordHead : nestedHead
}

/** The column of a member that every record has. */
export function headColumn({ headColumns }: Pick<RecordForm, 'headColumns'>, member: string): string {
  return member === 'id' || member === 'version' ? (headColumns[member] ?? member) : columnName(member)
}
