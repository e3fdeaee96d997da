/** What a word in a header can mean. A header is understood if each of its words has a meaning. */
export const meanings = [
  // Whose value it is.
  ...(['person', 'contactPerson', 'lead', 'company', 'customer', 'deal'] as const),
  // Which of several values it is.
  ...(['primary', 'work', 'home', 'mailing', 'billing', 'shipping', 'other'] as const),
  // Names. `given` is a word for the first name or for any name, and `lastFirstName` a full name that begins with the last name.
  ...(['name', 'given', 'first', 'last', 'full', 'firstName', 'middleName', 'lastName'] as const),
  ...(['fullName', 'lastFirstName'] as const),
  // Ways to reach somebody. A `mailAddress` is one of e-mail or of letters.
  ...(['phone', 'mobile', 'email', 'mailAddress', 'website', 'domain'] as const),
  // Parts of an address. `extra` belongs on its second line.
  ...(['address', 'street', 'house', 'line', 'extra', 'city', 'region', 'postalCode', 'country'] as const),
  // Everything else that a record has.
  ...(['birthday', 'jobTitle', 'title', 'owner', 'tags', 'notes', 'details', 'source', 'external', 'id'] as const),
  ...(['code', 'number', 'legal', 'tax', 'registration', 'industry', 'employees'] as const),
  // Something for which a record has no field here, such as a fax number, or that is about somebody else.
  'different',
  // The value of what the other words name.
  'value',
  // Says nothing by itself.
  'filler',
] as const

export type Meaning = (typeof meanings)[number]

/**
 * The words of a language by what they mean, with commas between them. A star stands for up to three more letters: `телефон*`. Words that
 * are written as one, as in `mobilenumber`, and plurals with s need not be listed.
 */
export type HeaderWords = Readonly<Partial<Record<Meaning, string>>>
