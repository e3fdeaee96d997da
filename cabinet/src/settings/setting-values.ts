import { Failure } from '../api/failure.ts'
import { isList, isObject, type Json, type JsonObject, same } from '../records/record.ts'

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

/** What is typed into the form of a setting, and the version of the setting that it was typed for; null for a new setting. */
interface SettingDraft {
  readonly version: number | null
  readonly values: JsonObject
}

/** The draft that a text keeps; one without values if there is none. */
export function settingDraftIn(text: string): SettingDraft {
  const read: unknown = text === '' ? null : JSON.parse(text)
  if (!isObject(read)) return { version: null, values: {} }
  const { version, values } = read
  return { version: typeof version === 'number' ? version : null, values: isObject(values) ? values : {} }
}

/** The version that a body names. */
export function versionIn(body: unknown): number | null {
  return isObject(body) && typeof body.expectedVersion === 'number' ? body.expectedVersion : null
}

/**
 * The body for the version that the draft was typed for: what others saved since then must not be overwritten unseen. After the refusal that
 * tells of another version, saving again is for that one.
 */
export function bodyForDraft(body: unknown, { version }: SettingDraft, refusal: Error | null): unknown {
  if (!isObject(body) || versionIn(body) === null) return body
  const current =
    refusal instanceof Failure && refusal.code === 'version_conflict' ? refusal.details.currentVersion : null
  const expectedVersion = typeof current === 'number' ? current : (version ?? body.expectedVersion)
  return { ...body, expectedVersion }
}
