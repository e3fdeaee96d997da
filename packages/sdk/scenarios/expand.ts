/** Writes out each element of a list that stands for many, as README.md beside this says. */
export function expand(value: unknown): unknown {
  if (Array.isArray(value)) return value.flatMap((element: unknown) => elementsOf(element))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, expand(member)]))
}

function elementsOf(element: unknown): unknown[] {
  if (typeof element !== 'object' || element === null || !('$repeat' in element)) return [expand(element)]
  const { $repeat: count, first, of }: Record<string, unknown> = { ...element }
  return Array.from({ length: Number(count) }, (_, at) => numbered(of, Number(first) + at))
}

function numbered(value: unknown, number: number): unknown {
  const text = JSON.stringify(value).replaceAll('"$n"', String(number)).replaceAll('$n', String(number))
  return JSON.parse(text)
}
