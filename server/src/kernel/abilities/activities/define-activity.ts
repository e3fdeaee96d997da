import { defineNested, type Nested, type Resource } from '../../record/index.ts'
import { activityRules } from './activity.rules.ts'
import { activityFields } from './activity-fields.ts'

/** The declaration of the activities of one kind of records. */
interface ActivityDeclaration {
  readonly parent: Resource
  readonly table: string
  /** The kind of the record that took part; null if that is the parent itself. */
  readonly participant: Resource | null
  /** How the names of its words begin in the OpenAPI document: `DealActivityType`. */
  readonly component?: string
  readonly linkedAs?: string
}

/** Declares that records of a kind have activities: past or planned events, such as a call or a meeting (contract section 6.6). */
export function defineActivity({
  parent,
  table,
  participant,
  component = 'Activity',
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
    fields: activityFields(component, participant),
    rules: activityRules,
  })
}
