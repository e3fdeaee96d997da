/** The parameters of an address: a text for each, a list if it comes more than once. Nothing is read as JSON. */
export function parseSearch(text: string): Record<string, string | string[]> {
  const search: Record<string, string | string[]> = {}
  const parameters = new URLSearchParams(text)
  for (const name of new Set(parameters.keys())) {
    const [first = '', ...others] = parameters.getAll(name)
    search[name] = others.length === 0 ? first : [first, ...others]
  }
  return search
}

/** The other way round. What is undefined is left out. */
export function stringifySearch(search: Readonly<Record<string, unknown>>): string {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(search)) {
    if (Array.isArray(value)) for (const each of value) parameters.append(name, String(each))
    else if (value !== undefined) parameters.append(name, String(value))
  }
  const text = parameters.toString()
  return text === '' ? '' : `?${text}`
}
