import { computed, isExternalId, violates } from '../kernel/schema/index.ts'
import { application } from './application.ts'
import { defineSetting } from './define-setting.ts'
import { name, nullable, onlyForNew, text } from './fields.ts'
import { organization } from './organization.ts'
import { idOf } from './setting.ts'
import { settingBounds } from './setting-bounds.ts'

const color = {
  isValid: (value: string) => /^#[0-9a-f]{6}$/iu.test(value),
  reason: (value: string) => `"${value}" is no colour: write #RRGGBB`,
}

/** A label for records of some kinds. An application can identify it by an external key. */
export const tag = defineSetting({
  kind: 'tag',
  owner: organization,
  about: 'tags, which records can carry',
  creates: 'a tag',
  order: 'createdAt',
  bound: settingBounds.organizationTags,
  fields: {
    name: name('the name of a tag', { help: 'unique in the organization' }, 100),
    color: nullable(text('', color, { help: '#RRGGBB', none: 'without a color' })),
    kinds: {
      ...computed<readonly string[]>([], { column: 'text[]', schema: { type: 'array', items: { type: 'string' } } }),
      input: { type: 'array', items: { type: 'string' } },
      createOnly: true,
      form: { kindsWith: 'tags', help: 'what can carry it', usual: 'all' },
    },
  },
  more: {
    applicationId: onlyForNew({
      option: 'application <id>',
      help: 'the application that knows it by an external id',
    }),
    externalId: onlyForNew({ option: 'external-id <key>', help: "the application's own id of it" }),
  },
  refersTo: { applicationId: application },
  unique: { name: ({ name }) => `another tag is named ${String(name)}` },
  receipt: idOf,
  needs(needs, { externalId: key }) {
    if (typeof key === 'string') needs.toCreate('tag', key)
  },
  add(draft, { applicationId, externalId: key, ...input }, kind) {
    if ((applicationId === undefined) !== (key === undefined))
      return violates('/externalId', 'application', '--application and --external-id go together')
    if (key === undefined) return draft.add(kind, input)
    if (typeof key !== 'string' || !isExternalId(key)) return violates('/externalId', 'format', keyForm)
    if (draft.isKeyTaken(kind, key))
      return violates('/externalId', 'unique', `another tag has the external id ${key} for this application`)
    return draft.add(kind, input, { externalId: key })
  },
})

const keyForm = 'an external id takes 1 to 200 characters, no control characters and no outer space'

export const { create: createTag } = tag.administered
