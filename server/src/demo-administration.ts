import type { DemoAdministration } from './demo/index.ts'
import { customFieldKinds, taggedKinds } from './modules.ts'
import * as settings from './settings/index.ts'

/** How the demo makes the settings of its organization. */
export const demoAdministration: DemoAdministration = {
  ...settings,
  createTag: (database, input) => settings.createTag(database, input, taggedKinds),
  createCustomField: (database, input) => settings.createCustomField(database, input, customFieldKinds),
}
