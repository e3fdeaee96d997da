import { Client, type ClientOptions, type EnvironmentOptions, environment } from './core/client.ts'
import { realClock } from './core/clock.ts'
import { resourcesOf } from './core/methods.ts'
import { attachFlows, type FlowsOfCrm, type ResourcesWithFlows } from './flows/attach.ts'
import { operations } from './generated/operations.ts'
import type { Resources } from './generated/resources.ts'

/** All operations of the API, and the flows over them. */
// oxlint-disable-next-line typescript/no-unsafe-declaration-merging -- the constructor assigns what it names
export interface Crm extends ResourcesWithFlows, FlowsOfCrm {}

/** A client of one server, with the rights of one token. Many calls may run at the same time. */
// oxlint-disable-next-line typescript/no-unsafe-declaration-merging -- the constructor assigns what the interface names
export class Crm extends Client {
  /** Throws TypeError for options with which no call could succeed. */
  constructor(options: ClientOptions) {
    super(options)
    const resources = resourcesOf(operations, this)
    if (hasFace(resources))
      Object.assign(this, attachFlows(resources, { clock: options.clock ?? realClock, log: options.log }))
  }

  /** A client of the server in `CRM_URL`, with the token in `CRM_TOKEN`. Throws TypeError if one is missing. */
  static fromEnvironment(options: EnvironmentOptions = {}): Crm {
    return new Crm({ ...options, ...environment() })
  }
}

/** The interfaces are generated from the rows of the table that the methods are made of, so each method is there. */
function hasFace(made: object): made is Resources {
  return Object.keys(operations).every(name => name.includes('.') || name in made)
}
