import { Refusal } from '../kernel/index.ts'
import { isObject, violates } from '../kernel/schema/index.ts'
import { type Administration, administer } from './administer.ts'
import { changeSetting } from './change-setting.ts'
import { customField, inspectOptions, type Option } from './custom-field-record.ts'
import { wordOf } from './values.ts'

export interface NewCustomField {
  readonly organizationId: string
  readonly kind: string
  readonly key: string
  readonly type: string
  /** The key unless told. */
  readonly label?: string | undefined
  /** What a select or multiselect chooses from; no other type has options. */
  readonly options?: readonly Option[] | undefined
  readonly required?: boolean | undefined
}

/**
 * Creates a custom field for one of these kinds of records; kind and key identify it, and `id` is both in one. Throws an
 * `AdministrationError` when the kind has such a key, or a value is not valid.
 */
export async function createCustomField(
  administration: Administration,
  { organizationId, ...input }: NewCustomField,
  customFieldKinds: readonly string[],
): Promise<{ id: string; key: string }> {
  const { key, type, options, required, label = key } = input
  const kind = wordOf('a kind', customFieldKinds, input.kind)
  return administer(administration, organizationId, {
    needs: needs => needs.toLoadNestedIn(customField, organizationId),
    decide(draft) {
      const created = draft.add(customField, { key, type, options, required, label }, { kind })
      return created instanceof Refusal ? created : { id: `${kind}.${key}`, key }
    },
  })
}

export interface CustomFieldChange {
  readonly organizationId: string
  readonly customFieldId: string
  readonly label?: string | undefined
  /** The options from now on. Records may have those that there are, so these stay, under another label or in another order. */
  readonly options?: readonly Option[] | undefined
  readonly required?: boolean | undefined
}

/** Changes a custom field. Throws an `AdministrationError` when it is unknown, or a value is not valid. */
export async function setCustomField(
  administration: Administration,
  { organizationId, customFieldId, ...change }: CustomFieldChange,
): Promise<{ id: string; key: string }> {
  return changeSetting(administration, { organizationId, kind: customField, id: customFieldId }, (draft, before) => {
    const changed = draft.alter(customField, before, change)
    if (changed instanceof Refusal) return changed
    const [issue] = inspectOptions(changed)
    if (issue !== undefined) return violates(issue.path, issue.rule, issue.message)
    const keys = keysOf(changed.options)
    const lost = keysOf(before.options).find(key => !keys.includes(key))
    if (lost !== undefined) return violates('/options', 'options', `the option ${lost} stays: records may have it`)
    return { id: `${String(before.kind)}.${String(before.key)}`, key: String(before.key) }
  })
}

function keysOf(options: unknown): string[] {
  return Array.isArray(options) ? options.flatMap(option => (isObject(option) ? String(option.key) : [])) : []
}
