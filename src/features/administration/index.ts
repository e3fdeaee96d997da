export { administer } from './administer.ts'
export { AdministrationError } from './administration-error.ts'
export { type ApplicationChange, createApplication, type NewApplication, setApplication } from './applications.ts'
export { createCustomField, type NewCustomField } from './custom-fields.ts'
export { parseDuration } from './duration.ts'
export { createLostReason, defaultLostReasons, type NewLostReason } from './lost-reasons.ts'
export { createOperator, type NewOperator, type OperatorChange, setOperator } from './operators.ts'
export { organizationOf } from './organization-of.ts'
export {
  createOrganization,
  type NewOrganization,
  type Organization,
  type OrganizationChange,
  setOrganization,
} from './organizations.ts'
export { type CreatedPipeline, createPipeline, defaultPipeline, type NewPipeline } from './pipelines.ts'
export { type StageChange, setStage } from './stages.ts'
export { createTag, type NewTag, type TagKey } from './tags.ts'
export { rotateToken } from './token-rotation.ts'
export { createToken, type IssuedToken, type NewToken, revokeToken, type TokenAddress } from './tokens.ts'
