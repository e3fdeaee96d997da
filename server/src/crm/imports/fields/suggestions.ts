import type { SurveyedColumn } from '../reading/survey.ts'
import { isUsable } from './cells.ts'
import type { HeaderTarget } from './header-patterns.ts'
import type { ImportField } from './import-fields.ts'
import type { ReadHeader } from './read-header.ts'

/** The suggestions so far: a field has one column, and a column one field. */
export class Suggestions {
  readonly byColumn = new Map<number, string>()
  readonly #free: Map<string, ImportField>

  constructor(fields: readonly ImportField[]) {
    this.#free = new Map(fields.map(field => [field.key, field]))
  }

  isFree(key: string): boolean {
    return this.#free.has(key)
  }

  /** Suggests the first of these fields that is free and for which the values of the column are usable. Returns whether there is one. */
  take(column: SurveyedColumn, ...keys: readonly string[]): boolean {
    const field = keys.map(key => this.#free.get(key)).find(each => each !== undefined && isUsable(each, column))
    if (field === undefined || this.byColumn.has(column.index)) return false
    this.byColumn.set(column.index, field.key)
    return this.#free.delete(field.key)
  }

  /** Suggests these fields for no other column. */
  close(...keys: readonly string[]): void {
    for (const key of keys) this.#free.delete(key)
  }
}

/** A column and what its header says. */
export interface ReadColumn {
  readonly column: SurveyedColumn
  readonly header: ReadHeader
}

/** A column whose header says what it is for. */
export interface TargetedColumn extends ReadColumn {
  readonly says: HeaderTarget
}

export function isFilled({ column }: ReadColumn): boolean {
  return column.detectedType !== 'empty'
}

const reachFields = {
  email: ['email1', 'email2', 'email3'],
  phone: ['phone1', 'phone2', 'phone3'],
  website: ['website1', 'website2', 'website3'],
} as const

/** The fields for a target, in the order in which columns get them. */
export function fieldsOfTarget(target: string): readonly string[] {
  if (target === 'email' || target === 'phone' || target === 'website') return reachFields[target]
  return target === 'company' || target === 'contact' ? [`${target}Uuid`, `${target}ExternalId`] : [target]
}
