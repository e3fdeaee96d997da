import { agent } from '../../ai-agents/agents/index.ts'
import type { StateOf } from '../../kernel/index.ts'
import {
  choice,
  type Field,
  flag,
  type Issue,
  inKnownCase,
  isObject,
  type JsonObject,
  type JsonSchema,
  linkedId,
  optionalInteger,
  optionalText,
  optionalUuidSchema,
  tidyText,
  violates,
  visiblePattern,
} from '../../kernel/schema/index.ts'

/** The action when a person takes over the dialog (contract section 13). */
export interface Handoff {
  readonly onRequest: boolean
  readonly onNoAnswer: boolean
  readonly keywords: readonly string[]
  readonly assigneeUuid: string | null
  readonly message: string | null
}

/** When the operator answers; null: always. */
export interface Schedule {
  readonly timeZone: string
  readonly intervals: readonly { readonly days: readonly number[]; readonly from: string; readonly to: string }[]
}

const timeOfDay = { type: 'string', pattern: '^([01]\\d|2[0-3]):[0-5]\\d$' }

const interval: JsonSchema = {
  type: 'object',
  required: ['days', 'from', 'to'],
  properties: {
    days: {
      type: 'array',
      minItems: 1,
      maxItems: 7,
      uniqueItems: true,
      items: { type: 'integer', minimum: 1, maximum: 7 },
      description: 'Days of the week on which it begins: 1 is Monday, 7 Sunday.',
      example: [1, 2, 3, 4, 5],
    },
    from: { ...timeOfDay, description: 'When it begins, in the time zone of the schedule.', example: '09:00' },
    to: { ...timeOfDay, description: 'Before `from`: on the next day. Never the same as `from`.', example: '18:00' },
  },
  additionalProperties: false,
}

/** The schema of a schedule; requests and answers have different components, because only requests refuse unknown members. */
const scheduleSchema = (suffix: 'Input' | ''): JsonSchema => ({
  component: `OperatorSchedule${suffix}`,
  type: ['object', 'null'],
  required: ['timeZone', 'intervals'],
  properties: {
    timeZone: { type: 'string', format: 'time-zone', maxLength: 64, example: 'Europe/Berlin' },
    intervals: {
      type: 'array',
      minItems: 1,
      maxItems: 50,
      items: { ...interval, component: `ScheduleInterval${suffix}` },
      description: 'The times of a week in which it answers.',
    },
  },
  additionalProperties: false,
})

const handoffMembers: Readonly<Record<keyof Handoff, JsonSchema>> = {
  onRequest: { type: 'boolean', description: 'When the customer asks for a person.', example: true },
  onNoAnswer: { type: 'boolean', description: 'When the agent knows no answer.', example: true },
  keywords: {
    type: 'array',
    maxItems: 50,
    items: { type: 'string', minLength: 1, maxLength: 100, documented: { pattern: visiblePattern } },
    description: 'When the customer writes one of these.',
    example: ['refund'],
  },
  assigneeUuid: { ...optionalUuidSchema, description: 'The operator who takes over: one of directories.operators.' },
  message: { type: ['string', 'null'], minLength: 1, maxLength: 1000, description: 'What the customer is told then.' },
}

const schedule: Field<Schedule | null> = {
  column: 'jsonb',
  input: scheduleSchema('Input'),
  output: { '': scheduleSchema('') },
  description: 'When it answers; null: always.',
  initial: null,
  tidy: value => (isObject(value) ? { ...value, timeZone: inKnownCase(value.timeZone) } : value),
  inspect: emptyIntervals,
  present: value => ({
    '': value && {
      timeZone: value.timeZone,
      intervals: value.intervals.map(({ days, from, to }) => ({ days, from, to })),
    },
  }),
}

const handoff: Field<Handoff> = {
  column: 'jsonb',
  namesSettings: { operator: column => `${column} ->> 'assigneeUuid' = $2::uuid::text` },
  input: { component: 'OperatorHandoffInput', type: 'object', properties: handoffMembers, additionalProperties: false },
  output: {
    '': {
      component: 'OperatorHandoff',
      type: 'object',
      required: Object.keys(handoffMembers),
      properties: handoffMembers,
    },
  },
  description: 'When and to whom the dialog is handed over. Members that a request leaves out stay as they are.',
  initial: { onRequest: true, onNoAnswer: true, keywords: [], assigneeUuid: null, message: null },
  tidy: value => (isObject(value) ? tidyHandoff(value) : value),
  // PostgreSQL orders the members of a jsonb itself.
  present: ({ onRequest, onNoAnswer, keywords, assigneeUuid, message }) => ({
    '': { onRequest, onNoAnswer, keywords, assigneeUuid, message },
  }),
  accept(value, previous, { configuration, path }) {
    const { assigneeUuid: assignee, ...given }: JsonObject = isObject(value) ? value : {}
    if (assignee === undefined) return { ...previous, ...given }
    const assigneeUuid = typeof assignee === 'string' ? assignee.toLowerCase() : null
    const isUsable =
      assigneeUuid === null ||
      assigneeUuid === previous.assigneeUuid ||
      configuration.operators.get(assigneeUuid)?.isActive
    if (isUsable) return { ...previous, ...given, assigneeUuid }
    const message = 'Not an active operator of the organization: see directories.operators'
    return violates(`${path}/assigneeUuid`, 'operator', message)
  },
}

/** What the AI operator of a channel holds (contract section 13). */
export const operatorFields = {
  enabled: flag(false, 'Whether it answers; then it has an agent.'),
  agentId: linkedId({ to: agent, description: 'The AI agent that answers.' }),
  mode: choice(['autopilot', 'copilot'], {
    component: 'OperatorMode',
    initial: 'autopilot',
    description: 'Whether it answers by itself, or proposes answers to a person.',
  }),
  schedule,
  handoff,
  greeting: optionalText({ max: 2000, keepSpace: true, description: 'The first message of a dialog.' }),
  replyDelaySeconds: {
    ...optionalInteger({ minimum: 0, maximum: 300, description: 'How long it waits before it answers.' }),
    input: { type: 'integer', minimum: 0, maximum: 300 },
    initial: 0,
  },
  maxRepliesPerDialog: optionalInteger({ minimum: 1, maximum: 1000, description: 'null: no limit.' }),
  name: channelName(),
}

/** The AI operator of a channel in memory, as its rules see it. */
export type OperatorState = StateOf<typeof operatorFields>

/** The name of the channel, for refusals that name what uses an agent. */
function channelName(): Field<string> {
  return {
    select: '(select c.name from channels c where c.organization_id = $1 and c.id = t.id)',
    output: {},
    initial: '',
    present: () => ({}),
  }
}

function tidyHandoff(value: JsonObject): JsonObject {
  const { keywords, message } = value
  const tidied = (text: unknown) => (typeof text === 'string' ? tidyText(text) : text)
  return {
    ...value,
    ...(Array.isArray(keywords) ? { keywords: keywords.map(tidied) } : {}),
    ...(typeof message === 'string' ? { message: tidied(message) || null } : {}),
  }
}

function emptyIntervals(value: unknown, path: string): Issue[] {
  const intervals = isObject(value) && Array.isArray(value.intervals) ? value.intervals.filter(isObject) : []
  const message = 'The interval ends when it begins'
  return intervals.flatMap(({ from, to }, index) =>
    from === to ? [{ path: `${path}/intervals/${index}/to`, rule: 'order', message }] : [],
  )
}
