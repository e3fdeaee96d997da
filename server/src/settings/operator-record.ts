import { defineNested } from '../kernel/index.ts'
import { flag, inspecting, name } from './fields.ts'
import { organization } from './organization-record.ts'
import { operatorRules } from './setting.rules.ts'

const isEmail = (text: string) => /^[^\s@]+@[^\s@]+$/u.test(text)

/** A person of the organization, who can own records. An inactive one keeps what they own and gets nothing new. */
export const operator = defineNested({
  kind: 'operator',
  plural: 'operators',
  title: 'Operator',
  table: 'operators',
  parent: organization,
  parentMember: 'organizationId',
  part: 'operators',
  most: null,
  order: { field: 'createdAt', direction: 'asc' },
  fields: {
    name: name('the name of an operator'),
    email: {
      ...name('an e-mail address', 254),
      inspect: inspecting(isEmail, address => `"${address}" is no e-mail address`),
    },
    active: flag(true),
  },
  rules: operatorRules,
})
