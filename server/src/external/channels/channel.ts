import { defineResource, externalConventions, type RecordState } from '../../kernel/index.ts'
import { choice, counted, maskedText, requiredText } from '../../kernel/schema/index.ts'
import { defineTable, type RowChange } from '../../kernel/write/index.ts'

const channelTypes = [
  'whatsapp',
  'telegram',
  'viber',
  'vk',
  'instagram',
  'facebook',
  'avito',
  'email',
  'webchat',
  'sms',
  'other',
] as const

const channelStatuses = ['active', 'disconnected', 'disabled'] as const

/** A channel through which customers write to the organization (contract section 13). The pages and commands create channels; the API reads them. */
export const channel = defineResource({
  kind: 'channel',
  plural: 'channels',
  title: 'Channel',
  path: '/api/v1/external/channels',
  conventions: externalConventions,
  scopes: { read: 'channels_read', write: 'channels_manage', delete: 'channels_manage' },
  most: 200,
  headMembers: { updatedAt: null },
  fields: {
    type: {
      ...choice(channelTypes, {
        component: 'ChannelType',
        initial: 'other',
        description: 'What customers write through.',
      }),
      requiredOnCreate: true,
      createOnly: true,
      form: {},
    },
    name: { ...requiredText({ max: 200, example: 'Shop on Telegram' }), form: { help: 'how people know it' } },
    status: {
      ...choice(channelStatuses, {
        component: 'ChannelStatus',
        initial: 'active',
        description: 'Whether messages come and go.',
      }),
      form: {},
    },
    identifier: {
      ...maskedText({ max: 200, description: 'Its number, address or name, masked.', example: '•••••••4567' }),
      form: {
        option: 'identifier <text>',
        help: 'its number, address or name; the API shows it masked',
        none: 'without one',
      },
    },
    aiOperatorEnabled: counted(false, {
      schema: { type: 'boolean', description: 'Whether its AI operator answers.' },
      select: '(select o.enabled from ai_operators o where o.organization_id = $1 and o.id = t.id)',
    }),
  },
  rules: { sideRows: (before, after) => (before === null && after !== null ? [newOperator(after)] : []) },
})

/** How commands name channels, which their declaration does not. */
export const channelWording = {
  about: 'channels, in which customers write',
  creates: 'a channel, whose AI operator is switched off',
  removes: 'a channel together with its AI operator',
}

const aiOperators = defineTable('ai_operators', ['id'], {
  id: 'uuid',
  version: 'bigint',
  created_at: 'timestamptz',
  updated_at: 'timestamptz',
})

/** Each channel has an AI operator from its creation on; initially it is disabled. */
function newOperator({ id, createdAt }: Pick<RecordState, 'id' | 'createdAt'>): RowChange {
  const row = { id, version: 1, created_at: createdAt, updated_at: createdAt }
  return { table: aiOperators, operation: 'insert', row }
}
