import type { Module } from '../kernel/index.ts'
import { application } from './application-record.ts'
import { customField } from './custom-field-record.ts'
import { lostReason } from './lost-reason-record.ts'
import { operator } from './operator-record.ts'
import { organization } from './organization-record.ts'
import { pipeline } from './pipeline-record.ts'
import { stage } from './stage-record.ts'
import { tag } from './tag-record.ts'
import { token } from './token-record.ts'

export type { Administration } from './administer.ts'
export { AdministrationError, UnknownSetting } from './administration-error.ts'
export { createApplication, setApplication } from './applications.ts'
export { createCustomField, setCustomField } from './custom-fields.ts'
export { parseDuration } from './duration.ts'
export { createLostReason, setLostReason } from './lost-reasons.ts'
export { createMetricsToken, listMetricsTokens, type MetricsToken, revokeMetricsToken } from './metrics-tokens.ts'
export { createOperator, setOperator } from './operators.ts'
export { idNamed, type NamingOptions, organizationOf, settingNamed, withIds } from './organization-of.ts'
export { createOrganization, type Organization, setOrganization } from './organizations.ts'
export { phoneNumbers } from './phone-numbers/index.ts'
export { createPipeline, setPipeline } from './pipelines.ts'
export { makeDemo, placeOrganization } from './place-organization.ts'
export { removeSetting } from './remove-setting.ts'
export { listOrganizations, listSettings, type SettingsPlace, showOrganization, showSetting } from './show-settings.ts'
export { parseSize, sizeText } from './size.ts'
export { createStage, setStage } from './stages.ts'
export { createTag, setTag, type TagKey } from './tags.ts'
export { rotateToken } from './token-rotation.ts'
export { createToken, type IssuedToken, revokeToken, setToken } from './tokens.ts'

export { application, customField, lostReason, operator, organization, pipeline, stage, tag, token }

/** What an organization is, and what it has configured. Commands lead to it, and no route. */
export const settings: Module = {
  resources: [organization, application, token, operator, pipeline, stage, lostReason, tag, customField],
  operations: [],
}
