import type { MatchKey } from '../dedup-policy.ts'
import { type EntityType, resourceOf } from '../fields/entity-types.ts'
import type { ImportField } from '../fields/import-fields.ts'

const fieldsOfKeys: Readonly<Record<MatchKey, RegExp>> = {
  uuid: /^uuid$/u,
  externalId: /^externalId$/u,
  email: /^email\d$/u,
  phone: /^phone\d$/u,
  taxId: /^taxId$/u,
  name: /^(?:name|firstName|lastName|fullName)$/u,
}

/**
 * The fields without which no row is applied: required ones, and those that say which record a row is about, because without them it would
 * be about another one. For links these are both sides.
 */
export function keyFieldsOf(
  type: EntityType,
  fields: readonly ImportField[],
  matchBy: readonly MatchKey[],
): ReadonlySet<string> {
  const isLink = resourceOf(type) === null
  const forms = (['uuid', 'externalId', ...matchBy] as const).map(by => fieldsOfKeys[by])
  const isKey = ({ key, isRequired, oneOf }: ImportField) =>
    isRequired || (isLink ? oneOf !== null : forms.some(form => form.test(key)))
  return new Set(fields.filter(isKey).map(({ key }) => key))
}
