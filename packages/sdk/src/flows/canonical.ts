import { isObject } from '../core/json.ts'

/** The JSON text of a value, with the members of each object in the order of their names: values that say the same have the same text. */
export function canonical(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) =>
    isObject(member)
      ? Object.fromEntries(Object.entries(member).sort(([one], [other]) => (one < other ? -1 : 1)))
      : member,
  )
}
