import { Refusal } from '../../../kernel/index.ts'
import { listSchema, objectSchema, optionalTextSchema, textSchema } from '../../../kernel/schema/index.ts'
import { askForReset, describeMe, enterByLink, lookAtLink } from '../../../people/index.ts'
import { type CabinetRoute, visitBody } from './cabinet-route.ts'
import { meSchema } from './me-schema.ts'
import { codeSchema, emailSchema, passwordSchema, shortNameSchema, textOrAbsent } from './members-of-bodies.ts'
import { visitorOf, welcome } from './visitor.ts'

const linkSchema = { type: 'string', minLength: 1, maxLength: 100 }

const organizationSchema = {
  ...objectSchema('LinkOrganization', { id: textSchema('Its id.'), name: textSchema('Its name.') }),
  type: ['object', 'null'],
}

const look: CabinetRoute = {
  id: 'links.look',
  method: 'POST',
  path: '/cabinet/api/links/look',
  summary: 'Look at a link without using it',
  access: 'open',
  body: visitBody('LinkToLookAt', { link: linkSchema }),
  answer: objectSchema('LookedAtLink', {
    kind: textSchema('`sign_in`, `first`, `invitation` or `reset`.'),
    email: optionalTextSchema('The address it was made for.'),
    name: optionalTextSchema('The name it was made for.'),
    organization: organizationSchema,
    role: optionalTextSchema('The role that an invitation gives.'),
    expiresAt: textSchema('Until when it is good.'),
    needs: listSchema({ type: 'string' }, 'What to send with it, and `sign_in` to sign in first.'),
  }),
  status: 200,
  refuses: ['link_not_valid'],
  async run({ signedIn, body, services }) {
    const looked = await lookAtLink(String(body.link), signedIn?.user.id ?? null, services)
    if (looked instanceof Refusal) return looked
    // The account is for the server: the page learns what it has to ask for.
    const { user: _, ...shown } = looked
    return { data: shown }
  },
}

const use: CabinetRoute = {
  id: 'links.use',
  method: 'POST',
  path: '/cabinet/api/links/use',
  summary: 'Use a link',
  access: 'open',
  body: visitBody(
    'UsedLink',
    {
      link: linkSchema,
      email: emailSchema,
      name: shortNameSchema,
      password: passwordSchema,
      code: codeSchema,
      organizationName: shortNameSchema,
    },
    ['link'],
  ),
  answer: meSchema,
  status: 200,
  refuses: [
    'link_not_valid',
    'not_signed_in',
    'sign_in_refused',
    'second_factor_required',
    'too_many_attempts',
    'validation_error',
  ],
  async run(visit) {
    const { body, services, signedIn } = visit
    const given = {
      link: String(body.link),
      email: textOrAbsent(body.email),
      name: textOrAbsent(body.name),
      password: textOrAbsent(body.password),
      code: textOrAbsent(body.code),
      organizationName: textOrAbsent(body.organizationName),
    }
    const entered = await enterByLink(given, signedIn, visitorOf(visit), services)
    if (entered === null && signedIn !== null) return { data: await describeMe(signedIn, services) }
    if (entered === null) throw new Error('a link was used for somebody who is not signed in')
    return welcome(entered, visit)
  },
}

const reset: CabinetRoute = {
  id: 'resets.request',
  method: 'POST',
  path: '/cabinet/api/resets',
  summary: 'Ask for a link that resets the password',
  access: 'open',
  body: visitBody('ForgottenPassword', { email: emailSchema }),
  answer: { type: 'object' },
  status: 202,
  refuses: ['rate_limit_exceeded'],
  // The answer is the same for each address, and so is the work.
  async run({ call, body, services }) {
    const refusal = await askForReset({ email: String(body.email), address: call.address }, services)
    return refusal ?? { data: {} }
  },
}

const entrance: CabinetRoute = {
  id: 'entrance.show',
  method: 'GET',
  path: '/cabinet/api/entrance',
  summary: 'What the pages before the sign-in need to know',
  access: 'open',
  body: null,
  answer: objectSchema('Entrance', {
    mail: { type: 'boolean', description: 'Whether the server mails links. Otherwise its operator makes them.' },
  }),
  status: 200,
  refuses: [],
  run: async ({ services }) => ({ data: { mail: services.mail !== null } }),
}

/** The routes about links. */
export const linkRoutes: readonly CabinetRoute[] = [look, use, entrance, reset]
