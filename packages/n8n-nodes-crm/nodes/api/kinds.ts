import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow'

const records = { contact: 'Contact', company: 'Company', deal: 'Deal', task: 'Task' } as const

/** The ends of deals, which the history of a deal has, and the feed has not. */
const closings = ['deal.won', 'deal.lost', 'deal.reopened']

/** Every kind of event about records, for the choice of a trigger. */
const kinds = [
  ...Object.keys(records).flatMap(record => ['created', 'updated', 'deleted'].map(verb => `${record}.${verb}`)),
  'contact.anonymized',
  'contact.merged',
  'company.merged',
  'deal.moved',
  ...closings,
]

/** Which events begin the workflow. */
export const kindsProperty: INodeProperties = {
  displayName: 'Events',
  name: 'kinds',
  type: 'multiOptions',
  required: true,
  default: [],
  options: kinds.map(optionOf).sort((one, other) => one.name.localeCompare(other.name, 'en')),
  description: 'The events that begin the workflow. All of them if none is chosen.',
}

function optionOf(kind: string): INodePropertyOptions {
  const [record = '', verb = ''] = kind.split('.')
  return {
    name: `${record.charAt(0).toUpperCase()}${record.slice(1)} ${verb.charAt(0).toUpperCase()}${verb.slice(1)}`,
    value: kind,
  }
}

/** Whether a kind is one of those that were chosen: all if none was. */
export function isWanted(kind: string, chosen: readonly string[]): boolean {
  return chosen.length === 0 || chosen.includes(kind)
}

/** Whether the end of a deal is wanted, which stands in the history of the deal alone. */
export function mayWantClosing(chosen: readonly string[]): boolean {
  return closings.some(closing => isWanted(closing, chosen))
}

export function isClosing(kind: string): boolean {
  return closings.includes(kind)
}

/** The kinds of records that the events are about: all if no kind was chosen. */
export function recordsOf(chosen: readonly string[]): string[] {
  const named = new Set(chosen.map(kind => kind.split('.')[0] ?? ''))
  return Object.keys(records).filter(record => chosen.length === 0 || named.has(record))
}
