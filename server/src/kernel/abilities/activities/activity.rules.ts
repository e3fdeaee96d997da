import { type Issue, type JsonObject, type Refusal, unprocessable } from '../../schema/index.ts'
import type { ActivityState } from './activity-fields.ts'

interface Context {
  readonly previous: ActivityState | null
  readonly write: {
    readonly now: string
    readonly author: { readonly uuid: string | null }
    readonly applicationId: string | null
  }
}

type Type = ActivityState['type']

/** Types that involve another person. They have a direction and cannot be in the future. */
const exchanges: readonly Type[] = ['call', 'email', 'message']
const lasting: readonly Type[] = ['call', 'meeting']
const aheadMilliseconds = 5 * 60_000
const empty = 'An activity needs a subject or a body'
const bothNull = { patternProperties: { '^(subject|body)$': { type: 'null' } } }
const withoutBody = { propertyNames: { type: 'string', not: { type: 'string', const: 'body' } } }
const missing: Issue = { path: '/subject', rule: 'required', message: empty }

/** Rules for activities beyond those of their fields (contract section 6.6). */
export const activityRules = {
  forbids:
    'The activity would have neither a subject nor a body, a member that its `type` does not have, or a time in the future.',

  inspectCreate({ subject, body }: JsonObject): Issue[] {
    return subject || body ? [] : [missing]
  },

  documented: {
    create: { not: bothNull },
    patch: { dependentSchemas: { subject: { not: { ...bothNull, not: withoutBody } } } },
  },

  inspectPatch({ subject, body }: JsonObject): Issue[] {
    return subject === null && body === null ? [missing] : []
  },

  settle(next: ActivityState, { previous, write }: Context): ActivityState | Refusal {
    const occurredAt = next.occurredAt === '' ? write.now : next.occurredAt
    const issues: Issue[] = next.subject === null && next.body === null ? [missing] : []
    const isExchange = exchanges.includes(next.type)
    if (next.direction !== null && !isExchange) issues.push(misplaced('direction', exchanges))
    if (next.durationSeconds !== null && !lasting.includes(next.type))
      issues.push(misplaced('durationSeconds', lasting))
    const isAhead = isExchange && Date.parse(occurredAt) > Date.parse(write.now) + aheadMilliseconds
    if (isAhead && occurredAt !== previous?.occurredAt) {
      const message = `A ${next.type} cannot have happened more than five minutes from now`
      issues.push({ path: '/occurredAt', rule: 'future', message })
    }
    if (issues.length > 0) return unprocessable(issues)
    if (previous !== null) return { ...next, occurredAt }
    return { ...next, occurredAt, authorUuid: write.author.uuid, applicationId: write.applicationId }
  },
}

function misplaced(field: string, types: readonly Type[]): Issue {
  return { path: `/${field}`, rule: 'type', message: `Only activities of these types have it: ${types.join(', ')}` }
}
