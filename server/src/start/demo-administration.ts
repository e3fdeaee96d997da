import type { DemoAdministration } from '../demo/index.ts'
import { customFieldKinds, grantableScopes, taggedKinds } from '../modules.ts'
import {
  type Administration,
  createCustomField,
  createOperator,
  createTag,
  createToken,
  makeDemo,
  placeOrganization,
} from '../settings/index.ts'

/** The settings functions that the demo uses for its organization. */
export function demoAdministration(given: Administration): DemoAdministration {
  const administration = { ...given, grantableScopes: grantableScopes.map(({ scope }) => scope) }
  return {
    placeOrganization: placeOrganization.bind(null, administration),
    makeDemo: makeDemo.bind(null, administration),
    createToken: createToken.bind(null, administration),
    createOperator: input => createOperator(administration, input),
    createTag: input => createTag(administration, input, taggedKinds),
    createCustomField: input => createCustomField(administration, input, customFieldKinds),
  }
}
