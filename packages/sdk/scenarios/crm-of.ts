import { Crm } from '../src/crm.ts'
import { verify } from '../src/webhooks.ts'
import type { MakeClient } from './play.ts'

/** The client that is played with in JavaScript: all of the SDK. */
export const crmOf: MakeClient = options => Object.assign(new Crm(options), { $webhooks: { verify } })
