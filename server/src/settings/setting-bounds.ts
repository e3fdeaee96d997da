import { type Bounds, unreadable } from '../kernel/limits/index.ts'

const entries = (most: number, of: string) => ({ most, unit: 'entries', of, beyond: unreadable }) as const

/** What the owners of an organization, and commands, can make it hold. What is there already stays. */
export const settingBounds = {
  organizationApplications: entries(200, 'applications of one organization'),
  applicationTokens: entries(500, 'tokens of one application, valid or not'),
  organizationOperators: entries(5000, 'operators of one organization'),
  organizationPipelines: entries(100, 'pipelines of one organization'),
  pipelineStages: entries(100, 'stages of one pipeline'),
  organizationLostReasons: entries(1000, 'reasons for lost deals of one organization'),
  organizationTags: entries(5000, 'tags of one organization'),
  kindCustomFields: entries(200, 'custom fields of one kind of records of one organization'),
} as const satisfies Bounds
