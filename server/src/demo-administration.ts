import type { DemoAdministration } from './demo/index.ts'
import { customFieldKinds, taggedKinds } from './modules.ts'
import {
  administer,
  createCustomField,
  createLostReason,
  createOperator,
  createPipeline,
  createTag,
  defaultLostReasons,
  defaultPipeline,
} from './settings/index.ts'

/** The settings functions that the demo uses for its organization. */
export const demoAdministration: DemoAdministration = {
  administer,
  defaultPipeline,
  defaultLostReasons,
  createPipeline,
  createLostReason,
  createOperator,
  createTag: (database, input) => createTag(database, input, taggedKinds),
  createCustomField: (database, input) => createCustomField(database, input, customFieldKinds),
}
