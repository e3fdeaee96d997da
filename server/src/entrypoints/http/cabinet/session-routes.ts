import { Refusal, refuse } from '../../../kernel/index.ts'
import { objectSchema, textSchema } from '../../../kernel/schema/index.ts'
import { describeMe, freshUntil, renewFreshness, signIn, signOut } from '../../../people/index.ts'
import { type CabinetRoute, visitBody } from './cabinet-route.ts'
import { meSchema } from './me-schema.ts'
import { codeSchema, emailSchema, passwordSchema, textOrAbsent } from './members-of-bodies.ts'
import { visitorOf, welcome } from './visitor.ts'

const path = '/cabinet/api/session'

const show: CabinetRoute = {
  id: 'session.show',
  method: 'GET',
  path,
  summary: 'Who is signed in',
  access: 'signed in',
  body: null,
  answer: meSchema,
  status: 200,
  refuses: [],
  async run({ signedIn, services }) {
    return signedIn === null ? refuse('not_signed_in') : { data: await describeMe(signedIn, services) }
  },
}

const begin: CabinetRoute = {
  id: 'session.begin',
  method: 'POST',
  path,
  summary: 'Sign in',
  access: 'open',
  body: visitBody('SignIn', { email: emailSchema, password: passwordSchema, code: codeSchema }, ['email', 'password']),
  answer: meSchema,
  status: 200,
  refuses: ['sign_in_refused', 'second_factor_required', 'too_many_attempts'],
  async run(visit) {
    const { email, password, code } = visit.body
    const credentials = {
      email: String(email),
      password: String(password),
      code: textOrAbsent(code),
    }
    return welcome(await signIn(credentials, visitorOf(visit), visit.services), visit)
  },
}

const end: CabinetRoute = {
  id: 'session.end',
  method: 'DELETE',
  path,
  summary: 'Sign out',
  access: 'open',
  body: null,
  answer: null,
  status: 204,
  refuses: [],
  async run({ call, cookies, signedIn, services }) {
    // Nothing ends for whom no session was found: strangers cost no transaction.
    if (signedIn !== null && cookies.session !== null) await signOut(cookies.session, call.address, services)
    // Cookies are not cleared: those of other hosts of the domain would go, too.
    return { data: null, cookies: [cookies.dropSession], headers: { 'Clear-Site-Data': '"cache", "storage"' } }
  },
}

const renew: CabinetRoute = {
  id: 'session.renew',
  method: 'POST',
  path: `${path}/fresh`,
  summary: 'Enter the password once more',
  access: 'signed in',
  body: visitBody('OwnPassword', { password: passwordSchema, code: codeSchema }, ['password']),
  answer: objectSchema('Freshness', { freshUntil: textSchema('Until when it counts as just entered.') }),
  status: 200,
  refuses: ['sign_in_refused', 'second_factor_required', 'too_many_attempts'],
  async run({ call, signedIn, body: { password, code }, services }) {
    if (signedIn === null) return refuse('not_signed_in')
    const credentials = { password: String(password), code: textOrAbsent(code) }
    const freshAt = await renewFreshness(signedIn, credentials, call.address, services)
    return freshAt instanceof Refusal ? freshAt : { data: { freshUntil: freshUntil(freshAt, services.clock.now()) } }
  },
}

/** The routes about sessions. */
export const sessionRoutes: readonly CabinetRoute[] = [show, begin, end, renew]
