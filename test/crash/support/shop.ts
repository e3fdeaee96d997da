import { isObject, type JsonObject, newId } from '../../../server/src/kernel/schema/index.ts'
import { agentsPath, anAgent, aProduct, channelsPath, setsPath } from '../../conformance/support/agent-requests.ts'
import { anIntegrationBody, integrationsPath } from '../../conformance/support/integrations.ts'
import { basesPath } from '../../knowledge/support/knowledge.ts'
import type { Random } from '../../support/random.ts'
import { type Courier, type Delivery, partsOf } from './courier.ts'

/** What an agent can be linked to: where it is, and the member of an agent that names it. */
export const linked = {
  sets: { path: setsPath, member: 'productSetIds' },
  bases: { path: basesPath, member: 'knowledgeBaseIds' },
  integrations: { path: integrationsPath, member: 'apiIntegrationIds' },
} as const
type Linked = keyof typeof linked
type Links = Readonly<Record<Linked, readonly string[]>>

/** An organization has a limited number of each. */
const most = 12

/**
 * Writes agents and what they know without end, one request after the other, and remembers what it was told. All of it is its own: an
 * answer that it does not expect shows that a request took effect twice, in part, or not at all although that was answered.
 */
export class Shop {
  readonly surprises: string[] = []
  /** The names of the products of each set, by their ids. */
  readonly products = new Map<string, Map<string, string>>()
  /** Whether each integration has a secret. */
  readonly secrets = new Map<string, boolean>()
  readonly bases = new Set<string>()
  readonly agents = new Map<string, Links>()
  readonly channel: string
  operator: { readonly enabled: boolean; readonly agentId: string | null } = { enabled: false, agentId: null }
  readonly #courier: Courier
  readonly #random: Random

  constructor(courier: Courier, random: Random, channel: string) {
    this.#courier = courier
    this.#random = random
    this.channel = channel
  }

  async work(isOver: () => boolean): Promise<void> {
    while (!isOver()) await this.#random.pick(this.#habits)()
  }

  readonly #habits: readonly (() => Promise<void>)[] = [
    () => this.#addSet(),
    () => this.#addProduct(),
    () => this.#addProduct(),
    () => this.#addProduct(),
    () => this.#replaceProduct(),
    () => this.#removeProduct(),
    () => this.#addBase(),
    () => this.#addIntegration(),
    () => this.#moveIntegration(),
    () => this.#addAgent(),
    () => this.#relink(),
    () => this.#relink(),
    () => this.#answer(),
    () => this.#answer(),
    () => this.#remove('sets'),
    () => this.#remove('bases'),
    () => this.#remove('integrations'),
    () => this.#removeAgent(),
  ]

  /** What there is of a kind, in the order in which it came. */
  idsOf(kind: Linked): string[] {
    return [...{ sets: this.products, bases: this.bases, integrations: this.secrets }[kind].keys()]
  }

  /** The agents that are linked to something. */
  usersOf(kind: Linked, id: string): string[] {
    return [...this.agents].filter(([, links]) => links[kind].includes(id)).map(([user]) => user)
  }

  async #addSet(): Promise<void> {
    if (this.products.size >= most) return this.#remove('sets')
    const made = await this.#send('POST', setsPath, 201, { name: 'Catalogue' })
    if (made?.productsCount === 0) this.products.set(String(made.id), new Map())
  }

  async #addProduct(): Promise<void> {
    const set = this.#one(this.products.keys())
    if (set === null) return this.#addSet()
    const chosen = this.#random.next() < 0.5 ? { id: `p:${newId()}` } : {}
    const body = aProduct({ ...chosen, name: newId() })
    const made = await this.#send('POST', `${setsPath}/${set}/products`, 201, body)
    if (made !== null) this.products.get(set)?.set(String(made.id), String(body.name))
  }

  /** A product of a set; null if there is none. */
  #aProduct() {
    const set = this.#one(this.products.keys())
    const products = set === null ? undefined : this.products.get(set)
    const id = this.#one(products?.keys() ?? [])
    return products === undefined || id === null ? null : { products, id, path: `${setsPath}/${set}/products/${id}` }
  }

  async #replaceProduct(): Promise<void> {
    const known = this.#aProduct()
    if (known === null) return
    const name = newId()
    const after = await this.#send('PUT', known.path, 200, aProduct({ name }))
    if (after?.name === name) known.products.set(known.id, name)
  }

  async #removeProduct(): Promise<void> {
    const known = this.#aProduct()
    if (known !== null && (await this.#send('DELETE', known.path, 200)) !== null) known.products.delete(known.id)
  }

  async #addBase(): Promise<void> {
    if (this.bases.size >= most) return this.#remove('bases')
    const made = await this.#send('POST', basesPath, 201, { name: 'Help' })
    if (made !== null) this.bases.add(String(made.id))
  }

  async #addIntegration(): Promise<void> {
    if (this.secrets.size >= most) return this.#remove('integrations')
    const made = await this.#send('POST', integrationsPath, 201, anIntegrationBody({ name: nameOf(newId()) }))
    if (made !== null) this.secrets.set(String(made.id), made.hasSecret === true)
  }

  /** Another host: without a new secret there is none any more. */
  async #moveIntegration(): Promise<void> {
    const id = this.#one(this.secrets.keys())
    if (id === null) return
    const secret = this.#random.next() < 0.5 ? { secret: newId() } : {}
    const url = `https://${newId()}.example.com/{orderNumber}`
    const after = await this.#send('PATCH', `${integrationsPath}/${id}`, 200, { url, ...secret })
    if (after === null) return
    this.secrets.set(id, 'secret' in secret)
    if (after.hasSecret !== 'secret' in secret) this.surprises.push(`${id} has a secret: ${after.hasSecret}`)
  }

  #someLinks(): Links {
    const some = (kind: Linked) => {
      const all = this.idsOf(kind)
      return all.length === 0 ? [] : this.#random.some(all, 4)
    }
    return { sets: some('sets'), bases: some('bases'), integrations: some('integrations') }
  }

  async #addAgent(): Promise<void> {
    if (this.agents.size >= most) return this.#removeAgent()
    const links = this.#someLinks()
    const made = await this.#send('POST', agentsPath, 201, anAgent(linksIn(links)))
    if (made !== null) this.agents.set(String(made.id), links)
  }

  async #relink(): Promise<void> {
    const id = this.#one(this.agents.keys())
    if (id === null) return this.#addAgent()
    const links = this.#someLinks()
    const body = { description: newId(), ...linksIn(links) }
    if ((await this.#send('PATCH', `${agentsPath}/${id}`, 200, body)) !== null) this.agents.set(id, links)
  }

  /** Lets an agent answer in the channel, or none. */
  async #answer(): Promise<void> {
    const agentId = this.#random.next() < 0.8 ? this.#one(this.agents.keys()) : null
    const body = { enabled: agentId !== null, agentId, greeting: newId() }
    const path = `${channelsPath}/${this.channel}/ai-operator`
    if ((await this.#send('PATCH', path, 200, body)) !== null) this.operator = { enabled: body.enabled, agentId }
  }

  async #remove(kind: Linked): Promise<void> {
    const id = this.#one(this.idsOf(kind))
    if (id === null) return
    const asks = kind !== 'integrations'
    if (!(await this.#removed(`${linked[kind].path}/${id}`, this.usersOf(kind, id), asks))) return
    for (const all of [this.products, this.bases, this.secrets]) all.delete(id)
    for (const user of this.usersOf(kind, id)) {
      const links = this.agents.get(user)
      if (links !== undefined) this.agents.set(user, { ...links, [kind]: links[kind].filter(other => other !== id) })
    }
  }

  async #removeAgent(): Promise<void> {
    const id = this.#one(this.agents.keys())
    if (id === null) return
    const users = this.operator.agentId === id ? [this.channel] : []
    if (!(await this.#removed(`${agentsPath}/${id}`, users, true))) return
    this.agents.delete(id)
    if (users.length > 0) this.operator = { enabled: false, agentId: null }
  }

  /** What is used is refused first, where it asks, with all its users. */
  async #removed(path: string, users: readonly string[], asks: boolean): Promise<boolean> {
    if (!asks) return (await this.#send('DELETE', path, 200)) !== null
    if (users.length > 0) {
      const refused = await this.#courier.deliver('DELETE', path)
      const told = usedBy(refused)
      if (refused.status !== 409 || told.toSorted().join() !== users.toSorted().join()) this.#wonder(refused)
    }
    return (await this.#send('DELETE', `${path}${users.length > 0 ? '?confirmed=true' : ''}`, 200)) !== null
  }

  #one(ids: Iterable<string>): string | null {
    const all = [...ids]
    return all.length === 0 ? null : this.#random.pick(all)
  }

  /** What was answered, if that was what was to be expected; the answer shows what was sent. */
  async #send(method: string, path: string, status: number, body?: JsonObject): Promise<JsonObject | null> {
    const answer = await this.#courier.deliver(method, path, body)
    const { data } = partsOf(answer)
    const differs = Object.entries(body ?? {}).some(
      ([name, value]) => name !== 'secret' && name in data && JSON.stringify(data[name]) !== JSON.stringify(value),
    )
    if (answer.status === status && (!differs || 'parameters' in data)) return data
    this.#wonder(answer)
    return null
  }

  #wonder({ method, path, body, attempts, status, text }: Delivery): void {
    this.surprises.push(`${method} ${path} ${body} after ${attempts} attempts: ${status} ${text}`)
  }
}

/** Integrations are named like functions. */
const nameOf = (id: string) => `call_${id.replaceAll('-', '_')}`

function linksIn(links: Links): JsonObject {
  return Object.fromEntries(Object.entries(links).map(([kind, ids]) => [memberOf(kind), ids]))
}

function memberOf(kind: string): string {
  return Object.entries(linked).find(([name]) => name === kind)?.[1].member ?? kind
}

function usedBy(answer: Delivery): string[] {
  const { error } = partsOf(answer)
  const users = isObject(error.details) ? error.details.usedBy : []
  return Array.isArray(users) ? users.map(({ id }) => String(id)) : []
}
