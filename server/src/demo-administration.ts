import type { DemoAdministration } from './demo/index.ts'
import { customFieldKinds, taggedKinds } from './modules.ts'
import {
  type Administration,
  createCustomField,
  createOperator,
  createTag,
  createToken,
  makeDemo,
  placeOrganization,
} from './settings/index.ts'

/** How the demo makes the settings of its organization. */
export function demoAdministration(administration: Administration): DemoAdministration {
  return {
    placeOrganization: placeOrganization.bind(null, administration),
    makeDemo: makeDemo.bind(null, administration),
    createToken: createToken.bind(null, administration),
    createOperator: createOperator.bind(null, administration),
    createTag: input => createTag(administration, input, taggedKinds),
    createCustomField: input => createCustomField(administration, input, customFieldKinds),
  }
}
