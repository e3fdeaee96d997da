export { removeOrganization } from './remove-organization.ts'
