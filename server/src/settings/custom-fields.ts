import { Refusal } from '../kernel/index.ts'
import { type Administration, administer } from './administer.ts'
import { customField } from './custom-field-record.ts'
import { wordOf } from './values.ts'

export interface NewCustomField {
  readonly organizationId: string
  readonly kind: string
  readonly key: string
  readonly type: string
  /** The key unless told. */
  readonly label?: string | undefined
  /** What a select or multiselect chooses from; no other type has options. */
  readonly options?: readonly { readonly key: string; readonly label: string }[] | undefined
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
