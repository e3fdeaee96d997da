import type { Resource, StateOf } from '../../record/index.ts'
import {
  choice,
  computed,
  dateTime,
  type Field,
  namesById,
  optionalChoice,
  optionalInteger,
  optionalReference,
  optionalText,
  optionalUuidSchema,
} from '../../schema/index.ts'

/** What every activity holds, whatever record it belongs to (contract section 6.6). */
function sharedFields(component: string) {
  return {
    type: {
      ...choice(['note', 'call', 'meeting', 'email', 'message', 'other'], {
        component: `${component}Type`,
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
      component: `${component}Direction`,
      description: 'Of a call, an email or a message.',
    }),
    occurredAt: dateTime({
      description: 'Now unless given. A call, an email or a message lies at most five minutes ahead.',
    }),
    durationSeconds: optionalInteger({ minimum: 0, maximum: 86_400, description: 'Of a call or a meeting.' }),
    outcome: optionalText({ max: 200, description: 'What came of it, in words of your own.' }),
  }
}

const authorFields = {
  authorUuid: computed<string | null>(null, {
    column: 'uuid',
    namesSettings: { operator: namesById },
    schema: optionalUuidSchema,
    projection: 'operators',
    description: 'The operator who added it.',
  }),
  applicationId: computed<string | null>(null, {
    column: 'uuid',
    namesSettings: { application: namesById },
    schema: optionalUuidSchema,
    description: 'The application through which it was added.',
  }),
}

/** The fields of an activity. With `participant`, it can name the record of that kind that took part. */
export function activityFields(component: string, participant: Resource | null) {
  const shared = sharedFields(component)
  if (participant === null) return { ...shared, ...authorFields }
  const { kind } = participant
  const reference: Record<string, Field<string | null>> = {
    [kind]: optionalReference({
      to: participant,
      idMember: `${kind}Id`,
      column: `${kind}_id`,
      description: `The ${kind} that took part.`,
    }),
  }
  return { ...shared, ...reference, ...authorFields }
}

/** An activity in memory, as its rules see it. */
export type ActivityState = StateOf<ReturnType<typeof sharedFields> & typeof authorFields>
