import { defineNested, type Nested } from '../../record/define-nested.ts'
import type { Resource } from '../../record/resource.ts'
import { activityRules } from './activity.rules.ts'
import { type ActivityComponents, activityFields } from './activity-fields.ts'

/** The declaration of the activities of one kind of records. */
interface ActivityDeclaration {
  readonly parent: Resource
  readonly table: string
  /** The kind of the record that took part; null if that is the parent itself. */
  readonly participant: Resource | null
  readonly components?: ActivityComponents
  readonly linkedAs?: string
}

/** Declares that records of a kind have activities: past or planned events, such as a call or a meeting (contract section 6.6). */
export function defineActivity({
  parent,
  table,
  participant,
  components = { type: 'ActivityType', direction: 'ActivityDirection' },
  linkedAs = `${parent.kind}Activities`,
}: ActivityDeclaration): Nested {
  return defineNested({
    kind: `${parent.kind}_activity`,
    plural: 'activities',
    title: `${parent.title}Activity`,
    table,
    parent,
    parentMember: `${parent.kind}Id`,
    part: 'activities',
    linkedAs,
    most: null,
    order: { field: 'occurredAt', direction: 'desc' },
    fields: activityFields(components, participant),
    rules: activityRules,
  })
}
