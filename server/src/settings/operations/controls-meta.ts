import type { JsonObject } from '../../kernel/schema/index.ts'
import type { Control, Controls } from '../controls.ts'

/** What a page needs to show the fields of a kind of settings, and to say who may change them. */
export function controlsMeta({ create, set }: Controls): JsonObject {
  const controls = new Map([...create, ...set].map(control => [control.name, control]))
  return { fields: [...controls.values()].map(control => shownControl(control, create, set)) }
}

function shownControl(control: Control, create: readonly Control[], set: readonly Control[]): JsonObject {
  const { name, label, help, type, choices, isRequired, by, form } = control
  const isIn = (controls: readonly Control[]) => controls.some(each => each.name === name)
  return {
    name,
    label,
    help,
    type,
    choices,
    isRequired,
    changedBy: by,
    mostByOwner: form.ownerMaximum ?? null,
    forNew: isIn(create),
    forChange: isIn(set),
  }
}

/** JSON Schema of the meta of a list of settings. */
export const controlsMetaSchema = {
  component: 'SettingsMeta',
  type: 'object',
  required: ['fields'],
  properties: {
    fields: {
      type: 'array',
      items: {
        component: 'SettingField',
        type: 'object',
        required: ['name', 'label', 'changedBy'],
        properties: {
          name: { type: 'string' },
          label: { type: 'string' },
          help: { type: 'string' },
          type: { type: 'string', enum: ['text', 'number', 'size', 'duration', 'flag', 'words', 'items'] },
          choices: { type: 'array', items: { type: 'string' } },
          isRequired: { type: 'boolean' },
          changedBy: { type: 'string', enum: ['operator', 'owner'] },
          mostByOwner: { type: ['number', 'null'] },
          forNew: { type: 'boolean' },
          forChange: { type: 'boolean' },
        },
      },
    },
  },
}
