import type { Field } from '../field.ts'
import { uuidSchema } from '../uuid.ts'
import { computed } from './plain.ts'

/** Ids of the record's tags; set through the tag routes alone. */
export function tagIds(): Field<readonly string[]> {
  const field = computed<readonly string[]>([], {
    column: 'uuid[]',
    schema: { type: 'array', items: uuidSchema },
    projection: 'tags',
    description: 'Ids of the tags, set through the tag routes.',
  })
  return {
    ...field,
    role: 'tags',
    namesSettings: ['tag'],
    changedAs: 'tags',
    merge: { listOf: () => ({ most: 100, identify: String, isSet: true }) },
  }
}
