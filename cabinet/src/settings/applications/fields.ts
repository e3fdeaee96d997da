import type { SettingField } from '../setting-field.tsx'

/** The fields of an application. */
export const applicationFields: readonly SettingField[] = [
  { name: 'name', label: 'Name', widget: 'text', isRequired: true, max: 200 },
  { name: 'rateRead', label: 'Reads in a minute', widget: 'number' },
  { name: 'rateWrite', label: 'Writes in a minute', widget: 'number' },
  {
    name: 'enabled',
    label: 'Enabled',
    hint: 'While it is not, all its tokens are refused.',
    widget: 'flag',
    only: 'change',
  },
]

/** A day in seconds. */
export const day = 86_400

/** The fields of a token, besides its scopes. `expires` becomes `expiresInSeconds`. */
export const tokenFields: readonly SettingField[] = [
  { name: 'name', label: 'Name', widget: 'text', isRequired: true, max: 200 },
  {
    name: 'expires',
    label: 'Expires',
    widget: 'choice',
    choices: [
      { id: 'unchanged', name: 'As it is' },
      { id: String(30 * day), name: 'In 30 days' },
      { id: String(90 * day), name: 'In 90 days' },
      { id: String(365 * day), name: 'In a year' },
      { id: 'never', name: 'Never' },
    ],
  },
  {
    name: 'cidrs',
    label: 'Networks',
    hint: 'One in each line, such as 10.0.0.0/8. Without any, the token is accepted from everywhere.',
    widget: 'lines',
  },
]
