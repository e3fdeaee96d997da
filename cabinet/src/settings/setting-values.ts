import { isList, type Json, type JsonObject, same } from '../records/record.ts'

/** The values of a form as the server takes them: lines without spaces around them and without empty ones, and no texts that are empty. */
export function tidyValues(values: JsonObject): JsonObject {
  const tidy = Object.entries(values).map(([name, value]): [string, Json] => [name, tidyValue(value)])
  return Object.fromEntries(tidy.filter(([, value]) => value !== ''))
}

function tidyValue(value: Json): Json {
  if (!isList(value) || !value.every(each => typeof each === 'string')) return value
  return value.map(line => line.trim()).filter(line => line !== '')
}

/**
 * The values that differ from those at the beginning, as a change of this version of the setting names them: a text that was emptied is
 * null.
 */
export function changedValues(values: JsonObject, before: JsonObject, version: number): JsonObject {
  const tidy = tidyValues(values)
  const now = Object.keys(values).map((name): [string, Json] => [name, tidy[name] ?? null])
  return { expectedVersion: version, ...Object.fromEntries(now.filter(([name, value]) => !same(value, before[name]))) }
}
