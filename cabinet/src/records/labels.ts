import type { Directories } from '../directories/directories.ts'
import type { Say, Text } from '../words/index.ts'
import { type Kind, kindFacts } from './kinds.ts'

/** The words for each field: those of the titles in the API's document, where it has them. */
const labels: Readonly<Record<string, Text>> = {
  displayName: 'Name',
  firstName: 'First name',
  middleName: 'Middle name',
  lastName: 'Last name',
  jobTitle: 'Job title',
  description: 'Description',
  source: 'Source',
  ownerUuid: 'Owner',
  assigneeUuid: 'Assignee',
  tagIds: 'Tags',
  contactData: 'Contact data',
  'contactData.emails': 'E-mail addresses',
  'contactData.phones': 'Phones',
  'contactData.addresses': 'Addresses',
  'contactData.messengers': 'Messengers',
  'contactData.birthDate': 'Birth date',
  customFields: 'Custom fields',
  externalId: 'External ID',
  createdAt: 'Created',
  updatedAt: 'Updated',
  name: 'Name',
  legalName: 'Legal name',
  taxId: 'Tax ID',
  registrationNumber: 'Registration number',
  industry: 'Industry',
  employeesCount: 'Employees count',
  websites: 'Websites',
  title: 'Title',
  amount: 'Amount',
  currency: 'Currency',
  itemsTotal: 'Items total',
  priority: 'Priority',
  expectedCloseDate: 'Expected close date',
  stageUuid: 'Stage',
  pipelineId: 'Pipeline',
  status: 'Status',
  lostReasonCategoryUuid: 'Lost reason',
  lostReasonComment: 'Lost reason comment',
  stageChangedAt: 'Stage changed',
  closedAt: 'Closed',
  companyIds: 'Companies',
  contactIds: 'Contacts',
  companies: 'Companies',
  contacts: 'Contacts',
  type: 'Type',
  dueDate: 'Due date',
  startAt: 'Start',
  completedAt: 'Completed',
  dealId: 'Deal',
  contactId: 'Contact',
  companyId: 'Company',
  items: 'Items',
  sku: 'SKU',
  quantity: 'Quantity',
  unit: 'Unit',
  price: 'Price',
  discount: 'Discount',
  discountType: 'Discount in',
  taxMode: 'Tax',
  taxRate: 'Tax rate',
  checklists: 'Checklists',
  activities: 'Activities',
  files: 'Files',
  email: 'E-mail',
  phone: 'Phone',
  createdFrom: 'Created from',
  createdTo: 'Created before',
  updatedFrom: 'Updated from',
  updatedTo: 'Updated before',
  expectedCloseFrom: 'Closes from',
  expectedCloseTo: 'Closes before',
  dueFrom: 'Due from',
  dueTo: 'Due before',
}

/** The label of a field or a filter. A custom field has the one that the organization has given it; an unknown name is shown as it is. */
export function labelOf(path: string, t: Say, { customFields = [] }: Partial<Directories> = {}): string {
  const key = /^customFields?\.(.+)$/u.exec(path)?.[1]
  if (key !== undefined) return customFields.find(field => field.key === key)?.label ?? key
  const label = labels[path]
  return label === undefined ? path : t(label)
}

const choices: Readonly<Record<string, Text>> = {
  open: 'Open',
  won: 'Won',
  lost: 'Lost',
  low: 'Low',
  medium: 'Medium',
  high: 'High',
  urgent: 'Urgent',
  todo: 'To do',
  in_progress: 'In progress',
  done: 'Done',
  canceled: 'Canceled',
  call: 'Call',
  email: 'E-mail',
  meeting: 'Meeting',
  message: 'Message',
  note: 'Note',
  other: 'Other',
  work: 'Work',
  personal: 'Personal',
  mobile: 'Mobile',
  home: 'Home',
  fax: 'Fax',
  inbound: 'Inbound',
  outbound: 'Outbound',
  percent: 'Percent',
  amount: 'Currency',
  none: 'None',
  exclusive: 'On top',
  inclusive: 'Included',
}

/** The word for a value that the API chooses from a list; the value itself where it is new. */
export function wordOf(value: string, t: Say): string {
  const word = choices[value]
  return word === undefined ? value : t(word)
}

/** The name of a kind as a title of its list. */
export const titleOfKind = {
  contacts: 'Contacts',
  companies: 'Companies',
  deals: 'Deals',
  tasks: 'Tasks',
} as const satisfies Record<Kind, Text>

/** The button that makes a new record. */
export const newOfKind = {
  contacts: 'New contact',
  companies: 'New company',
  deals: 'New deal',
  tasks: 'New task',
} as const satisfies Record<Kind, Text>

/** What a record is called. */
export function nameOfRecord(kind: Kind, record: { readonly [member: string]: unknown }): string {
  const name = record[kindFacts[kind].title]
  return typeof name === 'string' ? name : ''
}
