import type { Configuration } from '../schema/index.ts'

/**
 * For changes of settings. They decide by what they load, which the lock of the organization keeps as it is, so they do not
 * ask for the configuration, and one that is read-only can be made writable.
 */
export const nothingConfigured: Configuration = {
  version: null,
  organization: {
    id: '',
    name: '',
    timeZone: 'UTC',
    defaultCurrency: '',
    currencies: [],
    locale: '',
    country: '',
    crmProvider: '',
  },
  isReadOnly: false,
  operators: new Map(),
  pipelines: [],
  stages: new Map(),
  lostReasons: new Map(),
  customFields: new Map(),
}
