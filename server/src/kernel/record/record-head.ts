import { byTime, type Field } from '../schema/index.ts'
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

/** How lists choose and sort records by these members. */
export const headSelections: Readonly<Record<string, Pick<Field, 'filters' | 'order'>>> = {
  createdAt: { filters: byTime('created', 'Created'), order: { type: 'timestamptz', isNullable: false } },
  updatedAt: {
    filters: byTime('updated', 'Changed', { hasIndex: false }),
    order: { type: 'timestamptz', isNullable: false, isLastChange: true },
  },
}

/** The kinds of setting to which these members refer. */
export const headSettings: Readonly<Record<string, string>> = {
  createdByApplicationId: 'application',
  createdByUuid: 'operator',
  updatedByUuid: 'operator',
}

/** Members that every record has, with the PostgreSQL types of their columns. The author of a nested record is a field. */
export function headOf(form: RecordForm): Readonly<Record<string, string>> {
  return form.isSynchronized ? recordHead : nestedHead
}

/** The column of a member that every record has. */
export function headColumn({ headColumns }: Pick<RecordForm, 'headColumns'>, member: string): string {
  return member === 'id' || member === 'version' ? (headColumns[member] ?? member) : columnName(member)
}

/** The columns of these members that are alike in all records that one write creates. */
export function headAlike(form: RecordForm): string[] {
  return Object.keys(headOf(form)).flatMap(member => (member === 'id' ? [] : [headColumn(form, member)]))
}

const isRenamable = (name: string) => name === 'id' || name === 'createdAt' || name === 'updatedAt'

/** A member that every record has, and its name in answers. */
export type HeadMember = readonly [name: string, member: string]

/** The members of an answer before its fields, and after them. A link has none, and an id that clients choose is a field. */
export function shownHead(form: RecordForm): { opening: readonly HeadMember[]; closing: readonly HeadMember[] } {
  const { parent, conventions, headMembers } = form
  if (parent?.uniqueReference !== undefined) return { opening: [], closing: [] }
  const shown = (...names: readonly string[]) =>
    names.flatMap((name): HeadMember[] => {
      const member = isRenamable(name) ? headMembers[name] : name
      return member === null ? [] : [[name, member ?? name]]
    })
  const [id, times] = [parent?.chosenId === undefined ? shown('id') : [], shown('createdAt', 'updatedAt')]
  if (!conventions.synchronizes) return { opening: id, closing: times }
  if (!form.isSynchronized) return { opening: [...id, ...shown('version')], closing: times }
  const authors = shown('createdByApplicationId', 'createdByUuid', 'updatedByUuid')
  return { opening: [...id, ...shown('externalId', 'version')], closing: [...times, ...authors] }
}
