import type { Module } from '../kernel/index.ts'
import { application } from './application.ts'
import { customField } from './custom-field.ts'
import { lostReason } from './lost-reason.ts'
import { operator } from './operator.ts'
import { organization } from './organization.ts'
import { pipeline } from './pipeline.ts'
import { stage } from './stage.ts'
import { tag } from './tag.ts'
import { token } from './token.ts'

export type { Administration } from './administration.ts'
export { AdministrationError } from './administration-error.ts'
export { createApplication, setApplication } from './applications.ts'
export { createCustomField } from './custom-fields.ts'
export { parseDuration } from './duration.ts'
export { createLostReason } from './lost-reasons.ts'
export { createOperator, setOperator } from './operators.ts'
export { organizationOf } from './organization-of.ts'
export { createOrganization, type Organization, setOrganization } from './organizations.ts'
export { createPipeline } from './pipelines.ts'
export { makeDemo, placeOrganization } from './place-organization.ts'
export { setStage } from './stages.ts'
export { createTag, type TagKey } from './tags.ts'
export { rotateToken } from './token-rotation.ts'
export { createToken, type IssuedToken, revokeToken } from './tokens.ts'

/** What an organization is, and what it has configured. Commands lead to it, and no route. */
export const settings: Module = {
  resources: [organization, application, token, operator, pipeline, stage, lostReason, tag, customField],
  operations: [],
}
