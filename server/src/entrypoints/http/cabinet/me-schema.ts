import {
  booleanSchema,
  listSchema,
  objectSchema,
  optionalTextSchema,
  textSchema,
} from '../../../kernel/schema/index.ts'

/** What `data` of an answer about who is signed in looks like. */
export const meSchema = objectSchema('Me', {
  user: objectSchema('MyUser', {
    id: textSchema('The id of the user.'),
    email: textSchema('The address with which the user signs in.'),
    name: textSchema('The name.'),
    locale: textSchema('The language of the pages.'),
    hasSecondFactor: booleanSchema('Whether signing in needs a code, too.'),
  }),
  organizations: listSchema(
    objectSchema('MyOrganization', {
      id: textSchema('The id of the organization.'),
      name: textSchema('The name.'),
      role: textSchema('The role of the user there.'),
      operatorUuid: textSchema('The operator that the user is there.'),
      permissions: listSchema({ type: 'string' }, 'What the role permits.'),
      timeZone: textSchema('The time zone.'),
      defaultCurrency: textSchema('The currency of new deals.'),
      currencies: listSchema({ type: 'string' }, 'The currencies that deals may have.'),
      locale: textSchema('The locale.'),
      country: textSchema('The country.'),
      needsSecondFactor: booleanSchema(
        'Whether the organization asks for a second factor, which the user does not have.',
      ),
    }),
    'Where the user is a member.',
  ),
  freshUntil: optionalTextSchema('Until when the password counts as just entered; null: it has to be entered again.'),
  build: textSchema('The version of the server: another one has other pages.'),
})
