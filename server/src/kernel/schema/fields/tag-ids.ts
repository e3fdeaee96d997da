import { type Column, type ColumnContext, joinTexts, labelOf, splitTexts } from '../column.ts'
import type { Field } from '../field.ts'
import { byMember, frequencies } from '../filter.ts'
import { uuidSchema } from '../uuid.ts'
import { computed } from './plain.ts'

/** Ids of the record's tags; only the tag routes set them. */
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
    namesSettings: { tag: column => `$2::uuid = any (${column})` },
    columns: tagNames,
    filters: { '': byMember('With at least one of these tags', { frequency: frequencies.tag }) },
    merge: { listOf: () => ({ most: 100, identify: String, isSet: true }) },
  }
}

/** The names of the tags. Files match names without regard to case, because no two tags differ only in case. */
function tagNames(_name: string, { tags }: ColumnContext): readonly Column<readonly string[]>[] {
  const ids = new Map([...tags].map(([id, tag]) => [tag.toLowerCase(), id]))
  const known = (text: string) => {
    const found = splitTexts(text).map(word => ids.get(word.toLowerCase()))
    return found.every(id => id !== undefined) ? found : undefined
  }
  // Ids differ between organizations: sorting by name gives the same tags the same order everywhere.
  const text = (values: readonly string[]) => joinTexts(values.flatMap(id => tags.get(id) ?? []).toSorted())
  return [{ key: 'tags', label: labelOf('tags'), type: 'choices', path: [], text, parse: known }]
}
