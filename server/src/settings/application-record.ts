import { defineNested, rateDefaults } from '../kernel/index.ts'
import { flag, name, rate } from './fields.ts'
import { organization } from './organization-record.ts'
import { applicationRules } from './setting.rules.ts'

/** What tokens, rate limits, external and idempotency keys belong to. */
export const application = defineNested({
  kind: 'application',
  plural: 'applications',
  title: 'Application',
  table: 'applications',
  parent: organization,
  parentMember: 'organizationId',
  part: 'applications',
  most: null,
  order: { field: 'createdAt', direction: 'asc' },
  fields: {
    name: name('the name of an application'),
    rateRead: rate('the read rate', rateDefaults.read),
    rateWrite: rate('the write rate', rateDefaults.write),
    enabled: flag(true),
  },
  rules: applicationRules,
})
