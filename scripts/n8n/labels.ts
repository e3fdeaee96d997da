/** Where a word is not made of the name in the API. */
const operations: Readonly<Record<string, string>> = {
  list: 'Get Many',
  upsert: 'Create or Update',
  remove: 'Delete',
  replace: 'Replace All',
  query: 'Find',
  summary: 'Get Summary',
}

/** What the editor calls a resource: `deals.items` is a Deal Item. */
export function resourceLabel(resource: string): string {
  const words = resource.split('.').map(word => titleOf(singular(word)))
  return words.length > 2 ? words.slice(-2).join(' ') : words.join(' ')
}

/** What the editor calls an operation: `list` is Get Many. */
export function operationLabel(name: string): string {
  return operations[name] ?? titleOf(name)
}

/** What the list of actions says: "Create a deal item". */
export function actionOf(resource: string, name: string): string {
  const label = resourceLabel(resource).toLowerCase()
  if (name === 'list' || name === 'replace' || name === 'reorder')
    return `${upperFirst(operationLabel(name).toLowerCase())} ${plural(label)}`
  if (name === 'query') return 'Find records of all kinds'
  if (name === 'summary') return 'Get a summary of deals'
  if (resource === 'capabilities') return 'Get what the server and the token can do'
  return `${upperFirst(operationLabel(name).toLowerCase())} ${/^[aeiou]/u.test(label) ? 'an' : 'a'} ${label}`
}

/** A name of the API in the spelling of n8n: `ownerUuid` is Owner UUID, `expectedVersion` is Expected Version. */
export function titleOf(name: string): string {
  const words = name.replaceAll(/([a-z0-9])([A-Z])/gu, '$1 $2').replaceAll(/[_-]/gu, ' ')
  return words
    .split(' ')
    .map(word => spelled[word.toLowerCase()] ?? upperFirst(word))
    .join(' ')
    .trim()
}

/** What the editor calls a value: the order `-createdAt` is Created At, Descending. */
export function optionLabel(value: string): string {
  return value.startsWith('-') ? `${titleOf(value.slice(1))}, Descending` : titleOf(value)
}

const spelled: Readonly<Record<string, string>> = {
  id: 'ID',
  ids: 'IDs',
  uuid: 'UUID',
  url: 'URL',
  sku: 'SKU',
  q: 'Query',
}

function singular(word: string): string {
  if (word === 'analytics' || word === 'search') return word
  return word.replace(/ies$/u, 'y').replace(/s$/u, '')
}

const plural = (label: string) => `${label}s`.replace(/ys$/u, 'ies')

export function upperFirst(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
