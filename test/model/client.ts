import { randomUUID } from 'node:crypto'
import { isObject, type JsonObject } from '../../server/src/kernel/schema/index.ts'
import { type Answer, type Client as ApiClient, objectOf } from '../support/client.ts'
import type { Random } from '../support/random.ts'
import type { Action, Request } from './action.ts'
import { oneOf, type Surroundings } from './choice.ts'
import { choose } from './choose.ts'
import type { PartKind, Sightings } from './sightings.ts'
import { type Kind, plurals } from './world.ts'

const partKinds: Readonly<Record<string, PartKind>> = {
  addItem: 'items',
  changeItem: 'items',
  addContactActivity: 'contactActivities',
  addCompanyActivity: 'companyActivities',
  addDealActivity: 'dealActivities',
  changeContactActivity: 'contactActivities',
  changeCompanyActivity: 'companyActivities',
  changeDealActivity: 'dealActivities',
  addChecklist: 'checklists',
  moveChecklist: 'checklists',
  addStep: 'steps',
  changeStep: 'steps',
}

/** Answers that a client has to expect when others change the same records. */
const expected = new Set([200, 201, 404, 409, 410, 422, 428])

/** One of several that send random requests at the same time, and remember all answers. */
export class RandomClient {
  readonly actions: Action[] = []
  readonly surprises: string[] = []
  readonly #api: ApiClient
  readonly #random: Random
  readonly #sightings: Sightings
  readonly #surroundings: Surroundings

  constructor(api: ApiClient, random: Random, sightings: Sightings, surroundings: Surroundings) {
    this.#api = api
    this.#random = random
    this.#sightings = sightings
    this.#surroundings = surroundings
  }

  async work(isOver: () => boolean): Promise<void> {
    while (!isOver()) {
      if (this.#random.next() < 0.04) await this.#merge()
      const request = choose(this.#random, this.#sightings, this.#surroundings)
      if (request !== null) await this.#send(request)
    }
  }

  async #send(request: Request): Promise<Answer> {
    const requestId = randomUUID()
    const { method, path, body } = request
    const answer = await this.#api.call(method, path, body, { headers: { 'x-request-id': requestId } })
    const { status, data, items, meta } = answer
    const action: Action = { ...request, requestId, status, data, items, meta }
    this.actions.push(action)
    if (!expected.has(status))
      this.surprises.push(`${method} ${path} ${JSON.stringify(body)}: ${JSON.stringify(answer.body)}`)
    this.#learn(action, answer)
    return answer
  }

  #learn(action: Action, { details }: Answer): void {
    const { name, status, data, items, meta, facts } = action
    const id = String(facts.id ?? facts.owner)
    if (status === 409) this.#sightings.hear(id, details.currentVersion)
    if ((status === 404 || status === 410) && facts.part === undefined) this.#sightings.forget(id)
    if (status === 404 && facts.part !== undefined) this.#sightings.forget(String(facts.part))
    if (status >= 300) return
    const partKind = partKinds[name]
    if (partKind !== undefined) return this.#sightings.seePart(partKind, action)
    const by = `${name} ${action.requestId}`
    const kind = kindOf(facts)
    if (kind !== null) {
      this.#sightings.see(kind, data, by)
      for (const element of items) if (isObject(element.data)) this.#sightings.see(kind, element.data, by)
    }
    for (const version of Object.values(meta)) this.#sightings.hear(id, version)
    if (name === 'remove' || name === 'anonymize') this.#sightings.forget(id)
    if (name.startsWith('remove') && facts.part !== undefined) this.#sightings.forget(String(facts.part))
  }

  /** Previews a merge, resolves every conflict at random, and commits it. */
  async #merge(): Promise<void> {
    const kind = this.#random.pick(['contact', 'company'] as const)
    const [primary, secondary] = [0, 1].map(() => oneOf(this.#random, this.#sightings, kind))
    if (!primary || !secondary || primary.id === secondary.id) return
    const pair = { primaryId: primary.id, secondaryId: secondary.id }
    const path = `/${plurals[kind]}/merge`
    const { status, data } = await this.#send({
      name: 'preview',
      method: 'POST',
      path: `${path}/preview`,
      body: pair,
      facts: {},
    })
    if (status !== 200) return
    const fields = Array.isArray(data.requiredResolutions) ? data.requiredResolutions : []
    const body: JsonObject = {
      ...pair,
      expectedPrimaryVersion: objectOf(data.primary).version,
      expectedSecondaryVersion: objectOf(data.secondary).version,
      fieldResolutions: Object.fromEntries(fields.map(field => [field, this.#random.pick(['primary', 'secondary'])])),
      ...(data.externalIdConflict === true ? { externalIdConflictResolution: 'keep_primary' } : {}),
    }
    const facts = { merged: kind, ...pair }
    const answer = await this.#send({ name: 'merge', method: 'POST', path: `${path}/commit`, body, facts })
    if (answer.status !== 200) return
    this.#sightings.moveActivities(secondary.id, primary.id)
    this.#sightings.forget(secondary.id)
    this.#sightings.see(kind, objectOf(answer.data.primary), 'merge')
  }
}

function kindOf({ kind }: JsonObject): Kind | null {
  return kind === 'contact' || kind === 'company' || kind === 'deal' || kind === 'task' ? kind : null
}
