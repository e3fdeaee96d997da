import { notFound, Refusal, refuse } from '../../../kernel/index.ts'
import { booleanSchema, isUuid, listSchema, objectSchema, textSchema } from '../../../kernel/schema/index.ts'
import {
  changeOwnAccount,
  changePassword,
  confirmFactor,
  describeMe,
  endOneSession,
  endOtherSessions,
  listSessions,
  offerFactor,
  refuseStaleSignIn,
} from '../../../people/index.ts'
import { type CabinetRoute, type Visit, visitBody } from './cabinet-route.ts'
import { meSchema } from './me-schema.ts'
import { codeSchema, passwordSchema, shortNameSchema, textOrAbsent } from './members-of-bodies.ts'
import { visitorOf, welcome } from './visitor.ts'

const path = '/cabinet/api/account'

/** The languages that the pages have. */
const locales = ['en', 'de', 'ru']

const signedInOnly = { access: 'signed in', status: 200, body: null, refuses: [] } as const

const change: CabinetRoute = {
  ...signedInOnly,
  id: 'account.change',
  method: 'PATCH',
  path,
  summary: 'Change the own name or language',
  body: visitBody('OwnAccount', { name: shortNameSchema, locale: { type: 'string', enum: locales } }, []),
  answer: meSchema,
  async run({ call, cookies, signedIn, body, services }) {
    if (signedIn === null || cookies.session === null) return refuse('not_signed_in')
    await changeOwnAccount(signedIn, { name: textOrAbsent(body.name), locale: textOrAbsent(body.locale) }, services)
    const changed = await services.authentication.sessions.find(cookies.session, call.address)
    return changed === null ? refuse('not_signed_in') : { data: await describeMe(changed, services) }
  },
}

const password: CabinetRoute = {
  ...signedInOnly,
  id: 'account.changePassword',
  method: 'POST',
  path: `${path}/password`,
  summary: 'Change the own password',
  body: visitBody('NewPassword', { currentPassword: passwordSchema, newPassword: passwordSchema, code: codeSchema }, [
    'currentPassword',
    'newPassword',
  ]),
  answer: meSchema,
  refuses: ['sign_in_refused', 'second_factor_required', 'too_many_attempts', 'validation_error'],
  async run(visit) {
    const { signedIn, body, services } = visit
    if (signedIn === null) return refuse('not_signed_in')
    const { currentPassword, newPassword, code } = body
    const credentials = {
      password: String(currentPassword),
      newPassword: String(newPassword),
      code: textOrAbsent(code),
    }
    return welcome(await changePassword({ signedIn, visitor: visitorOf(visit) }, credentials, services), visit)
  },
}

const offer: CabinetRoute = {
  ...signedInOnly,
  id: 'account.offerSecondFactor',
  method: 'POST',
  path: `${path}/second-factor`,
  summary: 'Show the secret of a new second factor',
  body: visitBody('NoMembers', {}),
  answer: objectSchema('OfferedFactor', {
    secret: textSchema('The secret, in base 32.'),
    uri: textSchema('The same as an address for applications that make codes.'),
  }),
  refuses: ['fresh_sign_in_required'],
  run: visit => whenFresh(visit, async signedIn => ({ data: await offerFactor(signedIn, visit.services) })),
}

const confirm: CabinetRoute = {
  ...signedInOnly,
  id: 'account.confirmSecondFactor',
  method: 'POST',
  path: `${path}/second-factor/confirm`,
  summary: 'Begin to use the new second factor',
  body: visitBody('FactorCode', { code: codeSchema }),
  answer: objectSchema('RecoveryCodes', {
    recoveryCodes: listSchema({ type: 'string' }, 'Ten codes, each good once in the place of the second factor.'),
  }),
  refuses: ['fresh_sign_in_required', 'validation_error'],
  run: visit =>
    whenFresh(visit, async signedIn => {
      const made = await confirmFactor({ signedIn, visitor: visitorOf(visit) }, String(visit.body.code), visit.services)
      if (made instanceof Refusal) return made
      const { recoveryCodes, started } = made
      const welcomed = await welcome(started, visit)
      return welcomed instanceof Refusal ? welcomed : { ...welcomed, data: { recoveryCodes } }
    }),
}

const sessions: CabinetRoute = {
  ...signedInOnly,
  id: 'account.sessions',
  method: 'GET',
  path: `${path}/sessions`,
  summary: 'List the own sessions',
  answer: listSchema(
    objectSchema('OwnSession', {
      id: textSchema('Its id.'),
      current: booleanSchema('Whether it is the session that asks.'),
      createdAt: textSchema('When it began.'),
      seenAt: textSchema('When it was last used, to the minute.'),
      addressClass: textSchema('The kind of network it began in.'),
      browser: textSchema('The browser and its system; empty if neither is known.'),
    }),
  ),
  async run({ signedIn, services }) {
    return signedIn === null ? refuse('not_signed_in') : { data: await listSessions(signedIn, services) }
  },
}

const endOne: CabinetRoute = {
  ...signedInOnly,
  id: 'account.endSession',
  method: 'DELETE',
  path: `${path}/sessions/{id}`,
  summary: 'Sign out elsewhere',
  answer: null,
  status: 204,
  refuses: ['not_found'],
  async run({ call, signedIn, services }) {
    if (signedIn === null) return refuse('not_signed_in')
    const { id = '' } = call.path
    const refusal = isUuid(id) ? await endOneSession(signedIn, id, call.address, services) : notFound()
    return refusal ?? { data: null }
  },
}

const endOthers: CabinetRoute = {
  ...signedInOnly,
  id: 'account.endOtherSessions',
  method: 'DELETE',
  path: `${path}/sessions`,
  summary: 'Sign out everywhere else',
  answer: null,
  status: 204,
  async run({ call, signedIn, services }) {
    if (signedIn === null) return refuse('not_signed_in')
    await endOtherSessions(signedIn, call.address, services)
    return { data: null }
  },
}

/** The page of a new token says whether the networks that were typed contain this address. */
const address: CabinetRoute = {
  ...signedInOnly,
  id: 'account.address',
  method: 'GET',
  path: `${path}/address`,
  summary: 'Say from which address the request came',
  answer: objectSchema('OwnAddress', { address: textSchema('The address, as tokens are compared with it.') }),
  run: ({ call, signedIn }) =>
    Promise.resolve(signedIn === null ? refuse('not_signed_in') : { data: { address: call.address } }),
}

/** Does what needs a password that was just entered. */
async function whenFresh<Done>(
  { signedIn, services }: Visit,
  work: (signedIn: NonNullable<Visit['signedIn']>) => Promise<Done | Refusal>,
): Promise<Done | Refusal> {
  if (signedIn === null) return refuse('not_signed_in')
  return refuseStaleSignIn(signedIn, services) ?? work(signedIn)
}

/** The routes about the own account. */
export const accountRoutes: readonly CabinetRoute[] = [
  change,
  password,
  offer,
  confirm,
  sessions,
  endOne,
  endOthers,
  address,
]
