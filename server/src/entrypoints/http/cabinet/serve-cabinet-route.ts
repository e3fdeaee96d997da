import {
  atOnce,
  type Call,
  crmConventions,
  explainFailure,
  malformed,
  Refusal,
  type Reply,
  reply,
  replyEmpty,
  replyRefusal,
} from '../../../kernel/index.ts'
import { isObject, type JsonObject, parseJson } from '../../../kernel/schema/index.ts'
import type { SignInServices } from '../../../people/index.ts'
import type { HttpRoute } from '../http-route.ts'
import { admitVisit, findSignedIn } from './authenticate-session.ts'
import type { CabinetRoute, VisitAnswer } from './cabinet-route.ts'
import { pagesPrefix } from './page-headers.ts'

/** The longest body: all of them are small. */
const longestBody = 16 * 1024

/** What answers depend on, beside the address. */
const varying = { Vary: 'Cookie' }

/** Makes the route that answers requests of a declared one. */
export function serveCabinetRoute(route: CabinetRoute, services: SignInServices): HttpRoute {
  const { id, method, path, access } = route
  const serve = async (call: Call): Promise<Reply> => {
    const outcome = await visit(route, call, services).catch(error => explainFailure(error, route, call, services))
    return outcome instanceof Refusal
      ? replyRefusal(crmConventions, call, outcome, varying)
      : answer(route, call, outcome)
  }
  return { id, method, path, prefix: pagesPrefix, isGuarded: access === 'signed in', serve }
}

async function visit(route: CabinetRoute, call: Call, services: SignInServices): Promise<VisitAnswer | Refusal> {
  const admitted = admitVisit(call, services)
  if (admitted instanceof Refusal) return admitted
  const { cookies } = admitted
  const found = route.access === 'open' && cookies.session === null ? null : await findSignedIn(cookies, call, services)
  // A session that has ended does not keep anybody from signing in.
  const signedIn = found instanceof Refusal ? null : found
  if (route.access === 'signed in' && found instanceof Refusal) return found
  if (signedIn !== null) call.authenticated()
  const body = await readVisitBody(route, call)
  return body instanceof Refusal ? body : route.run({ call, cookies, signedIn, body, services })
}

async function readVisitBody({ body: declared }: CabinetRoute, call: Call): Promise<JsonObject | Refusal> {
  const bytes = await call.readBody(longestBody, () => null)
  if (bytes instanceof Refusal) return bytes
  if (declared === null) return {}
  const parsed = bytes.length === 0 ? { value: {} } : atOnce(parseJson(bytes))
  if ('issues' in parsed) return malformed(parsed.issues, parsed.count)
  const { value, issues } = declared.parse(parsed.value)
  if (issues.length > 0) return malformed(issues)
  return isObject(value) ? value : {}
}

function answer({ status }: CabinetRoute, call: Call, { data, cookies = [], headers = {} }: VisitAnswer): Reply {
  const sent = { ...varying, ...headers }
  const plain =
    status === 204
      ? replyEmpty(call, status, sent)
      : reply(crmConventions, call, { status, data, meta: {} }, { data, redacted: [] }, sent)
  return { ...plain, cookies }
}
