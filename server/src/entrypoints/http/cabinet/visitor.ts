import { type SignedIn, sessionTimes } from '../../../kernel/auth/index.ts'
import { Refusal } from '../../../kernel/index.ts'
import {
  describeMe,
  knownBrowserSeconds,
  originOfBrowser,
  rememberBrowser,
  type SignInServices,
  type StartedSession,
  type Visitor,
} from '../../../people/index.ts'
import { browserName } from './browser-name.ts'
import type { Visit, VisitAnswer } from './cabinet-route.ts'

/** Who asks to sign in, from where and with what. */
export function visitorOf({ call, cookies, services: { clock, secret } }: Visit): Visitor {
  return {
    address: call.address,
    browser: browserName(call.header('user-agent')),
    secret: cookies.session,
    knownBrowser: email => originOfBrowser(cookies.knownBrowser, email, clock.now(), secret),
  }
}

/** Answers with who is signed in now, and gives the browser the secret of the session. It is known for the account from now on. */
export async function welcome(
  started: StartedSession | Refusal,
  { call, cookies, services }: Visit,
): Promise<VisitAnswer | Refusal> {
  if (started instanceof Refusal) return started
  const signedIn = await found(started, call.address, services)
  const { clock, secret } = services
  const known = rememberBrowser(cookies.knownBrowser, signedIn.user.email, clock.now(), secret)
  call.authenticated()
  return {
    data: await describeMe(signedIn, services),
    cookies: [
      cookies.giveSession(started.secret, sessionTimes.absolute / 1000),
      cookies.giveKnownBrowser(known, knownBrowserSeconds),
    ],
  }
}

/** Reads a session that has just begun. It may have ended already, by a change of the password elsewhere. */
async function found({ secret }: StartedSession, address: string, services: SignInServices): Promise<SignedIn> {
  const signedIn = await services.authentication.sessions.find(secret, address)
  if (signedIn === null) throw new Error('a session ended as soon as it had begun')
  return signedIn
}
