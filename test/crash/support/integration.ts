import { isObject, type JsonObject, newId } from '../../../server/src/kernel/schema/index.ts'
import { aCompany, aContact, aDeal } from '../../support/builders.ts'
import type { Random } from '../../support/random.ts'
import { type Courier, type Delivery, partsOf } from './courier.ts'

/** A record as its integration knows it from the last answer. */
export interface Known {
  readonly id: string
  readonly externalId: string
  readonly version: number
  readonly contactIds: readonly string[]
}

type Kind = 'contacts' | 'companies' | 'deals'

/** What integrations have in common. */
export interface Surroundings {
  /** A contact that all of them change, with the version last seen by any. */
  readonly contested: { id: string; version: number; changes: number }
  readonly stageUuids: readonly string[]
  /** Persons that were erased. */
  readonly erased: Set<string>
}

/**
 * Writes without end, one request after the other, and remembers what it was told. Its records are its own: an answer
 * that it does not expect shows that a request took effect twice, or not at all although that was answered.
 */
export class Integration {
  readonly surprises: string[] = []
  readonly known: Record<Kind, Map<string, Known>> = { contacts: new Map(), companies: new Map(), deals: new Map() }
  /** Keys of the application that this integration was the one to create. */
  readonly won: string[] = []
  readonly #courier: Courier
  readonly #random: Random
  readonly #surroundings: Surroundings

  constructor(courier: Courier, random: Random, surroundings: Surroundings) {
    this.#courier = courier
    this.#random = random
    this.#surroundings = surroundings
  }

  async work(isOver: () => boolean): Promise<void> {
    for (const kind of ['companies', 'contacts', 'deals'] as const) await this.#create(kind)
    while (!isOver()) await this.#random.pick(this.#habits)()
  }

  readonly #habits: readonly (() => Promise<void>)[] = [
    () => this.#create('contacts'),
    () => this.#create('companies'),
    () => this.#create('deals'),
    () => this.#create('contacts', '/upsert'),
    () => this.#create('deals', '/upsert'),
    () => this.#update('contacts'),
    () => this.#update('companies'),
    () => this.#update('deals'),
    () => this.#upsert('contacts'),
    () => this.#upsert('companies'),
    () => this.#relink(),
    () => this.#move(),
    () => this.#move(),
    () => this.#batch('contacts'),
    () => this.#batch('deals'),
    () => this.#erase(),
    () => this.#removeDeal(),
    () => this.#contest(),
    () => this.#race(),
  ]

  async #create(kind: Kind, route = ''): Promise<void> {
    const answer = await this.#courier.deliver('POST', `/${kind}${route}`, this.#aRecord(kind))
    this.#learn(kind, answer, 201)
  }

  #aRecord(kind: Kind): JsonObject {
    if (kind === 'contacts') return aContact()
    if (kind === 'companies') return aCompany()
    const [company] = this.#random.some([...this.known.companies.keys()], 1)
    return aDeal({ companies: [{ id: company }], contacts: this.#someContacts() })
  }

  #someContacts(): JsonObject[] {
    const ids = [...this.known.contacts.keys()]
    return ids.length === 0 ? [] : this.#random.some(ids, 2).map(id => ({ id }))
  }

  #one(kind: Kind): Known | undefined {
    const all = [...this.known[kind].values()]
    return all.length === 0 ? undefined : this.#random.pick(all)
  }

  async #update(kind: Kind, change: JsonObject = aChange(kind)): Promise<void> {
    const record = this.#one(kind)
    if (record === undefined) return this.#create(kind)
    const body = { expectedVersion: record.version, ...change }
    this.#learn(kind, await this.#courier.deliver('PATCH', `/${kind}/${record.id}`, body), 200, record)
  }

  async #upsert(kind: Kind): Promise<void> {
    const record = this.#one(kind)
    if (record === undefined) return this.#create(kind)
    const { externalId, version: expectedVersion } = record
    const body = { externalId, expectedVersion, ...this.#whole(kind), ...aChange(kind) }
    this.#learn(kind, await this.#courier.deliver('POST', `/${kind}/upsert`, body), 200, record)
  }

  /** What an upsert of a known record has to say besides the change. */
  #whole(kind: Kind): JsonObject {
    return kind === 'companies' ? { name: 'Northwind' } : {}
  }

  async #relink(): Promise<void> {
    const contacts = this.#someContacts()
    await this.#update('deals', { ...aChange('deals'), contacts })
  }

  async #move(): Promise<void> {
    const deal = this.#one('deals')
    if (deal === undefined) return this.#create('deals')
    const body = {
      expectedVersion: deal.version,
      stageUuid: this.#random.pick(this.#surroundings.stageUuids),
      position: this.#random.between(0, 3),
    }
    const answer = await this.#courier.deliver('PATCH', `/deals/${deal.id}/move`, body)
    // Moved to where it was, it stays as it was.
    const stayed = partsOf(answer).data.version === deal.version
    this.#learn('deals', answer, 200, stayed ? undefined : deal)
  }

  /** New and known records, and one that is refused. */
  async #batch(kind: 'contacts' | 'deals'): Promise<void> {
    const all = [...this.known[kind].values()]
    const known = all.length === 0 ? [] : this.#random.some(all, 3)
    const items = [
      ...Array.from({ length: this.#random.between(1, 3) }, () => this.#aRecord(kind)),
      ...known.map(({ externalId, version }) => ({ externalId, expectedVersion: version, ...aChange(kind) })),
      { externalId: `lost-${newId()}`, expectedVersion: 7, ...aChange(kind) },
    ]
    const expected = items.map((_, index) => {
      if (index === items.length - 1) return 409
      return index < items.length - 1 - known.length ? 201 : 200
    })
    const answer = await this.#courier.deliver('POST', `/${kind}/batch/upsert`, { items })
    const { items: elements } = partsOf(answer)
    const statuses = elements.map(({ status }) => status)
    if (JSON.stringify(statuses) !== JSON.stringify(expected)) return this.#wonder(answer)
    for (const { data } of elements) if (isObject(data)) this.#remember(kind, data)
  }

  async #erase(): Promise<void> {
    const contact = this.#one('contacts')
    if (contact === undefined) return this.#create('contacts')
    const mode = this.#random.pick(['full', 'anonymize'])
    const path = `/contacts/${contact.id}?expectedVersion=${contact.version}&mode=${mode}`
    const answer = await this.#courier.deliver('DELETE', path)
    if (answer.status !== 200) return this.#wonder(answer)
    this.known.contacts.delete(contact.id)
    this.#surroundings.erased.add(contact.id)
    if (mode === 'anonymize') return
    for (const deal of this.known.deals.values()) {
      if (!deal.contactIds.includes(contact.id)) continue
      const contactIds = deal.contactIds.filter(id => id !== contact.id)
      this.known.deals.set(deal.id, { ...deal, contactIds, version: deal.version + 1 })
    }
  }

  async #removeDeal(): Promise<void> {
    const deal = this.#one('deals')
    if (deal === undefined) return this.#create('deals')
    const answer = await this.#courier.deliver('DELETE', `/deals/${deal.id}?expectedVersion=${deal.version}`)
    if (answer.status !== 200) return this.#wonder(answer)
    this.known.deals.delete(deal.id)
  }

  /** Changes what others change as well: by one of them, or by this one. */
  async #contest(): Promise<void> {
    const { contested } = this.#surroundings
    const body = { expectedVersion: contested.version, ...aChange('contacts') }
    const answer = await this.#courier.deliver('PATCH', `/contacts/${contested.id}`, body)
    const { data, error } = partsOf(answer)
    const details = isObject(error.details) ? error.details : {}
    if (answer.status === 200) contested.changes += 1
    else if (error.code !== 'version_conflict') return this.#wonder(answer)
    contested.version = Math.max(contested.version, Number(data.version ?? details.currentVersion))
  }

  /** Creates under a key that others may use first. */
  async #race(): Promise<void> {
    const externalId = `race-${this.#random.between(1, 40)}`
    const answer = await this.#courier.deliver('POST', '/companies/upsert', { externalId, name: 'Raced for' })
    if (answer.status === 201) this.won.push(externalId)
    else if (answer.status !== 428) this.#wonder(answer)
  }

  /** Takes an answer over; `before` is the record that it changed. */
  #learn(kind: Kind, answer: Delivery, status: number, before?: Known): void {
    const { data } = partsOf(answer)
    if (answer.status !== status) return this.#wonder(answer)
    if (before !== undefined && data.version !== before.version + 1) return this.#wonder(answer)
    this.#remember(kind, data)
  }

  #remember(kind: Kind, data: JsonObject): void {
    const id = String(data.id)
    const contactIds = Array.isArray(data.contactIds) ? data.contactIds.map(String) : []
    const { externalId, version } = data
    this.known[kind].set(id, { id, externalId: String(externalId), version: Number(version), contactIds })
  }

  #wonder({ method, path, body, attempts, status, text }: Delivery): void {
    this.surprises.push(`${method} ${path} ${body} after ${attempts} attempts: ${status} ${text}`)
  }
}

const aChange = (kind: Kind): JsonObject => {
  const text = `Changed ${newId()}`
  return { contacts: { jobTitle: text }, companies: { industry: text }, deals: { description: text } }[kind]
}
