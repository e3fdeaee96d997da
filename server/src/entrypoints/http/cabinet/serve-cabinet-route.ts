import type { SignedIn } from '../../../kernel/auth/index.ts'
import {
  atOnce,
  type Call,
  crmConventions,
  explainFailure,
  limitRate,
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
import type { Cookies } from './cookies.ts'
import { pagesPrefix } from './page-headers.ts'
import { bucketOf, rateOf } from './user-rate.ts'

/** The longest body: all of them are small. */
const longestBody = 16 * 1024

/** What answers depend on, beside the address. */
const varying = { Vary: 'Cookie' }

/** Makes the route that answers requests of a declared one. */
export function serveCabinetRoute(route: CabinetRoute, services: SignInServices): HttpRoute {
  const { id, method, path, access } = route
  const serve = async (call: Call): Promise<Reply> => {
    const headers: Record<string, string> = { ...varying }
    const outcome = await visit(route, call, headers, services).catch(error =>
      explainFailure(error, route, call, services),
    )
    return outcome instanceof Refusal
      ? replyRefusal(crmConventions, call, outcome, headers)
      : answer(route, call, outcome, headers)
  }
  return { id, method, path, prefix: pagesPrefix, isGuarded: access === 'signed in', serve }
}

/** The checks before a route, and the route. Adds the headers of the rate limit to `headers`. */
async function visit(
  route: CabinetRoute,
  call: Call,
  headers: Record<string, string>,
  services: SignInServices,
): Promise<VisitAnswer | Refusal> {
  const admitted = admitVisit(call, services)
  if (admitted instanceof Refusal) return admitted
  const { cookies } = admitted
  const arrived = await findVisitor(route, cookies, call, services)
  if (arrived instanceof Refusal) return arrived
  if (arrived !== null) call.authenticated()
  // Who signs out or uses a link is never kept from it by what was sent before.
  if (arrived !== null && route.access === 'signed in') {
    const limited = await limitRate(bucketOf(route), rateOf(arrived.user), services.counters, headers)
    if (limited !== null) return limited
  }
  const body = await readVisitBody(route, call)
  if (body instanceof Refusal) return body
  // A client may take its time to send the body: the session may have ended meanwhile.
  const signedIn = arrived === null ? null : await findVisitor(route, cookies, call, services)
  return signedIn instanceof Refusal ? signedIn : route.run({ call, cookies, signedIn, body, services })
}

/** Who is signed in. A session that has ended does not keep anybody from an open route. */
async function findVisitor(
  { access }: CabinetRoute,
  cookies: Cookies,
  call: Call,
  services: SignInServices,
): Promise<SignedIn | Refusal | null> {
  if (access === 'open' && cookies.session === null) return null
  const found = await findSignedIn(cookies, call, services)
  const isEnded = found instanceof Refusal && found.code === 'not_signed_in'
  return access === 'open' && isEnded ? null : found
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

function answer(
  { status }: CabinetRoute,
  call: Call,
  { data, cookies = [], headers = {} }: VisitAnswer,
  ofRoute: Readonly<Record<string, string>>,
): Reply {
  const sent = { ...ofRoute, ...headers }
  const plain =
    status === 204
      ? replyEmpty(call, status, sent)
      : reply(crmConventions, call, { status, data, meta: {} }, { data, redacted: [] }, sent)
  return { ...plain, cookies }
}
