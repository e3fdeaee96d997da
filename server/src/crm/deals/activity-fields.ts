import type { StateOf } from '../../kernel/index.ts'
import {
  choice,
  computed,
  dateTime,
  optionalChoice,
  optionalInteger,
  optionalReference,
  optionalText,
  optionalUuidSchema,
} from '../../kernel/schema/index.ts'
import { contact } from '../contacts/index.ts'

/** What an activity of a deal holds (contract section 6.6). */
export const activityFields = {
  type: {
    ...choice(['note', 'call', 'meeting', 'email', 'message', 'other'], {
      component: 'DealActivityType',
      initial: 'note',
      example: 'call',
      description: 'What was done. It stays as it was created.',
    }),
    requiredOnCreate: true,
    createOnly: true,
    hint: 'An activity keeps its type',
  },
  subject: optionalText({ max: 300, example: 'Asked about delivery', description: 'This or a body is needed.' }),
  body: optionalText({ max: 20_000, keepSpace: true, description: 'Plain text or Markdown.' }),
  direction: optionalChoice(['inbound', 'outbound'], {
    component: 'DealActivityDirection',
    description: 'Of a call, an email or a message.',
  }),
  occurredAt: dateTime({
    description: 'Now unless given. A call, an email or a message lies at most five minutes ahead.',
  }),
  durationSeconds: optionalInteger({ minimum: 0, maximum: 86_400, description: 'Of a call or a meeting.' }),
  outcome: optionalText({ max: 200, description: 'What came of it, in words of your own.' }),
  contact: optionalReference({
    to: contact,
    idMember: 'contactId',
    column: 'contact_id',
    description: 'The contact that took part.',
  }),
  authorUuid: computed<string | null>(null, {
    column: 'uuid',
    namesSettings: ['operator'],
    schema: optionalUuidSchema,
    projection: 'operators',
    description: 'The operator who added it.',
  }),
  applicationId: computed<string | null>(null, {
    column: 'uuid',
    namesSettings: ['application'],
    schema: optionalUuidSchema,
    description: 'The application through which it was added.',
  }),
}

/** A deal activity in memory, as its rules see it. */
export type ActivityState = StateOf<typeof activityFields>
