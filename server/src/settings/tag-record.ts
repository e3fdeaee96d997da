import { defineNested } from '../kernel/index.ts'
import { computed } from '../kernel/schema/index.ts'
import { name, nullable, text } from './fields.ts'
import { organization } from './organization-record.ts'
import { tagRules } from './setting.rules.ts'

const isColor = (text: string) => /^#[0-9a-f]{6}$/iu.test(text)

/** A word that records of some kinds can carry. Applications can know it by keys of their own. */
export const tag = defineNested({
  kind: 'tag',
  plural: 'tags',
  title: 'Tag',
  table: 'tags',
  parent: organization,
  parentMember: 'organizationId',
  part: 'tags',
  most: null,
  order: { field: 'createdAt', direction: 'asc' },
  fields: {
    name: name('the name of a tag', 100),
    color: nullable(text('', isColor, color => `"${color}" is no colour: write #RRGGBB`)),
    kinds: computed<readonly string[]>([], { column: 'text[]', schema: { type: 'array', items: { type: 'string' } } }),
  },
  rules: tagRules,
})
