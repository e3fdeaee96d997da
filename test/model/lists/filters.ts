import { isObject, type JsonObject } from '../../../server/src/kernel/schema/index.ts'
import type { Random } from '../../support/random.ts'
import type { Kind } from '../world.ts'
import type { State } from './history.ts'
import { customFieldTypes, zone } from './surroundings.ts'

/** What a filter means: which records it lets through, and what it could be asked for. */
export interface Filter {
  /** The most values that are given at once. */
  readonly most: number
  /** The values with which the record is found. */
  valuesOf(state: State): readonly string[]
  holds(state: State, value: string): boolean
  /** The value in another spelling, or one near it. */
  vary: Vary
}

type Vary = (value: string, random: Random) => string

const textsIn = (value: unknown): string[] =>
  [value].flat().flatMap(each => (each === null || each === undefined ? [] : [String(each)]))

const identities = (valuesOf: Filter['valuesOf']): Filter => ({
  most: 4,
  valuesOf,
  holds: (state, value) => valuesOf(state).includes(value.toLowerCase()),
  vary: (value, random) => (random.next() < 0.2 ? value.toUpperCase() : value),
})
const member = (name: string) => identities(({ data }) => textsIn(data[name]))
const words = (name: string): Filter => ({ ...member(name), vary: value => value })
const links = identities(state => state.links)

/** The values of a list in the contact data. */
function contactValues({ contactData }: JsonObject, list: 'emails' | 'phones'): string[] {
  const items = isObject(contactData) ? contactData[list] : null
  return Array.isArray(items) ? items.map(({ value }) => String(value)) : []
}

const email: Filter = {
  most: 4,
  valuesOf: ({ data }) => contactValues(data, 'emails'),
  holds: (state, value) => email.valuesOf(state).some(each => each.toLowerCase() === value.toLowerCase()),
  vary: (value, random) => random.pick([value, value.toUpperCase(), value.toLowerCase()]),
}

/** The numbers that records have are American ones, with or without +1 or 001, and some that are none. */
function dialled(text: string): string {
  const digits = text.replace(/\D/gu, '').replace(/^00/u, '')
  return digits.length === 10 ? `1${digits}` : digits
}

const phone: Filter = {
  most: 4,
  valuesOf: ({ data }) => contactValues(data, 'phones'),
  holds: (state, value) => phone.valuesOf(state).some(each => dialled(each) === dialled(value)),
  vary(value, random) {
    const digits = dialled(value)
    const national = `(${digits.slice(1, 4)}) ${digits.slice(4)}`
    return digits.length === 11 ? random.pick([value, `+${digits}`, national, `+1 ${national}`]) : value
  },
}

const day = 86_400_000
const ahead = zone.minutes * 60_000

/** A moment, written in one of the ways that mean the same; sometimes a millisecond beside it. */
function varyTime(value: string, random: Random): string {
  const moment = Date.parse(value) + random.pick([0, 0, 0, 1, -1])
  return random.pick([new Date(moment).toISOString(), new Date(moment + ahead).toISOString().replace('Z', '+05:30')])
}

const varyDate = (value: string, random: Random) =>
  new Date(Date.parse(value) + random.pick([0, 0, day, -day])).toISOString().slice(0, 10)

/** The moments that values stand for: one of a record, and one of a filter. */
interface Moments {
  own(value: string): number
  asked(value: string): number
}
const moments: Moments = { own: Date.parse, asked: Date.parse }

const isDate = (value: string) => value.length === 10

/** In the time zone of the organization, a date in a record is the end of that day, and a date in a filter its beginning. */
const dueMoments: Moments = {
  own: value => Date.parse(value) - (isDate(value) ? ahead - day + 1 : 0),
  asked: value => Date.parse(value) - (isDate(value) ? ahead : 0),
}

function varyDue(value: string, random: Random): string {
  if (!isDate(value)) return random.next() < 0.7 ? varyTime(value, random) : value.slice(0, 10)
  return random.next() < 0.5 ? varyDate(value, random) : varyTime(new Date(dueMoments.own(value)).toISOString(), random)
}

/** From a value, which it includes, and to a value, which it excludes; a record without the value is not found. */
function ranges(name: string, own: string, vary: Vary, { own: ownMoment, asked }: Moments = moments) {
  const valuesOf = ({ data }: State) => textsIn(data[own])
  const filter = (holds: (own: number, asked: number) => boolean): Filter => ({
    most: 1,
    valuesOf,
    holds: (state, value) => valuesOf(state).some(each => holds(ownMoment(each), asked(value))),
    vary,
  })
  return {
    [`${name}From`]: filter((moment, from) => moment >= from),
    [`${name}To`]: filter((moment, to) => moment < to),
  }
}

const custom = Object.fromEntries(
  customFieldTypes.map((type): [string, Filter] => [`customField.${type}`, customField(type)]),
)

function customField(type: (typeof customFieldTypes)[number]): Filter {
  const valuesOf = ({ data }: State) => textsIn(isObject(data.customFields) ? data.customFields[type] : null)
  const same = (own: string, asked: string) => {
    if (type === 'number') return Number(own) === Number(asked)
    if (type === 'datetime') return Date.parse(own) === Date.parse(asked)
    return own === (type === 'user' ? asked.toLowerCase() : asked)
  }
  const vary = (value: string, random: Random) => {
    if (type === 'datetime') return varyTime(value, random)
    if (type === 'number' && random.next() < 0.3) return value.includes('.') ? `${value}0` : `${value}.0`
    return type === 'user' && random.next() < 0.3 ? value.toUpperCase() : value
  }
  return { most: 4, valuesOf, holds: (state, value) => valuesOf(state).some(own => same(own, value)), vary }
}

const externalId: Filter = { ...words('externalId'), most: 1 }

const shared = {
  externalId,
  tagIds: member('tagIds'),
  ...ranges('created', 'createdAt', varyTime),
  ...ranges('updated', 'updatedAt', varyTime),
  ...custom,
}

/** The filters of each kind, by their parameters. */
export const filters: Readonly<Record<Kind, Readonly<Record<string, Filter>>>> = {
  contact: { ownerUuid: member('ownerUuid'), companyId: links, email, phone, ...shared },
  company: { ownerUuid: member('ownerUuid'), contactId: links, ...shared },
  deal: {
    ownerUuid: member('ownerUuid'),
    pipelineId: member('pipelineId'),
    stageUuid: member('stageUuid'),
    status: words('status'),
    priority: words('priority'),
    companyId: member('companyIds'),
    contactId: member('contactIds'),
    ...ranges('expectedClose', 'expectedCloseDate', varyDate),
    ...shared,
  },
  task: {
    assigneeUuid: member('assigneeUuid'),
    status: words('status'),
    priority: words('priority'),
    dealId: member('dealId'),
    contactId: member('contactId'),
    companyId: member('companyId'),
    ...ranges('due', 'dueDate', varyDue, dueMoments),
    ...shared,
  },
}
