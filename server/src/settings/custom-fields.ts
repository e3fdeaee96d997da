import { customFieldTypes } from '../kernel/schema/index.ts'
import { type Database, statement } from '../kernel/sql/index.ts'
import { configure } from './administer.ts'
import { AdministrationError } from './administration-error.ts'
import { nameOf, wordOf } from './values.ts'

const insertCustomField = statement(
  'insert_custom_field',
  `insert into custom_field_definitions
     (organization_id, kind, key, label, type, options, required, position, created_at)
   select $1, $2, $3, $4, $5, $6::jsonb, $7, coalesce(max(f.position) + 1, 0), now()
     from custom_field_definitions f where f.organization_id = $1 and f.kind = $2
   on conflict do nothing
   returning key`,
)

const keyForm = /^[a-z][a-z0-9_]{0,63}$/u

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
 * Creates a custom field for one of these kinds of records; kind and key identify it, and `id` is both in one. Throws an `AdministrationError` when the
 * kind has such a key, or a value is not valid.
 */
export async function createCustomField(
  database: Database,
  input: NewCustomField,
  customFieldKinds: readonly string[],
): Promise<{ id: string; key: string }> {
  const { key, required = false } = input
  if (!keyForm.test(key)) {
    throw new AdministrationError(`"${key}" is no key: lower-case letters, digits and _, 64 at most, a letter first`)
  }
  const kind = wordOf('a kind', customFieldKinds, input.kind)
  const type = wordOf('the type of a custom field', customFieldTypes, input.type)
  const label = nameOf('the label of a custom field', input.label ?? key)
  const options = optionsOf(type, input.options ?? [])
  return configure(database, input.organizationId, async (transaction, organizationId) => {
    const values = [organizationId, kind, key, label, type, JSON.stringify(options), required]
    const inserted = await transaction.query(insertCustomField, values)
    if (inserted.length === 0) throw new AdministrationError(`there is a custom field ${key} of the kind ${kind}`)
    return { id: `${kind}.${key}`, key }
  })
}

function optionsOf(type: string, given: readonly { key: string; label: string }[]) {
  const chooses = type === 'select' || type === 'multiselect'
  if (!chooses && given.length > 0) throw new AdministrationError(`a custom field of the type ${type} has no options`)
  if (chooses && given.length === 0) throw new AdministrationError(`a custom field of the type ${type} needs options`)
  const options = given.map(option => ({
    key: nameOf('the key of an option', option.key, 100),
    label: nameOf('the label of an option', option.label),
  }))
  if (new Set(options.map(option => option.key)).size < options.length) {
    throw new AdministrationError('the options of a custom field have different keys')
  }
  return options
}
