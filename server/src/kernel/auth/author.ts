import type { JsonSchema } from '../schema/index.ts'

const actorTypes = ['application', 'user', 'system', 'ai_agent', 'import', 'bulk_job'] as const

/** JSON Schema of the type of an author, in answers. */
export const actorTypeSchema: JsonSchema = {
  component: 'ActorType',
  type: 'string',
  enum: actorTypes,
  description: 'Who acted.',
}

/** The author of a change, for change events and audit entries (contract section 11). */
export interface Author {
  readonly type: (typeof actorTypes)[number]
  /** The user or AI agent, or the user who started a job; null for other authors. */
  readonly uuid: string | null
  /** The import or bulk job, if the change belongs to one. */
  readonly jobId: string | null
  /** The operating system user who ran the command; absent for changes that no command makes. */
  readonly commandUser?: string
}

/** The author of changes that an application makes on its own behalf. */
export const byApplication: Author = { type: 'application', uuid: null, jobId: null }
