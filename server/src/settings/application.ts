import { rateDefaults } from '../kernel/index.ts'
import { defineSetting } from './define-setting.ts'
import { inUse, name, rate } from './fields.ts'
import { organization } from './organization.ts'
import { idOf } from './setting.ts'
import { settingBounds } from './setting-bounds.ts'

/** The owner of tokens, rate limits, external keys and idempotency keys. */
export const application = defineSetting({
  kind: 'application',
  owner: organization,
  about: 'applications, to which tokens belong',
  creates: 'an application, to which tokens belong',
  order: 'createdAt',
  bound: settingBounds.organizationApplications,
  fields: {
    name: name('the name of an application', { help: 'its name' }),
    rateRead: rate('the read rate', rateDefaults.read, { label: 'Read rate', help: 'reading requests per minute' }),
    rateWrite: rate('the write rate', rateDefaults.write, { label: 'Write rate', help: 'writing requests per minute' }),
    // One of the kind `cabinet` stands for people where an application is needed. It has no tokens.
    kind: { column: 'text', output: {}, initial: 'api' },
    enabled: inUse({
      yes: { option: 'enabled', help: 'accept its tokens' },
      no: { option: 'disabled', help: 'refuse its tokens' },
    }),
  },
  unique: { name: ({ name }) => `another application is named ${String(name)}` },
  // Another application may take the name of a disabled one.
  isInUse: ({ enabled, kind }) => enabled === true && kind !== 'cabinet',
  listedWhen: "t.kind = 'api'",
  receipt: idOf,
  insteadOfRemoval: 'disable it instead',
})

export const { create: createApplication, set: setApplication } = application.administered
