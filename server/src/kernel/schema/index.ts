export { type Issue, joinRefusals, notFound, Refusal, refuse, unprocessable, violates } from '../errors/index.ts'
export {
  booleanSchema,
  countSchema,
  listSchema,
  objectSchema,
  optionalTextSchema,
  textSchema,
  wordSchema,
} from './answer-schemas.ts'
export {
  type Column,
  type ColumnContext,
  type ColumnType,
  joinTexts,
  labelOf,
  parserOf,
  plainText,
  splitTexts,
} from './column.ts'
export {
  type Configuration,
  type CustomFieldDefinition,
  customFieldTypes,
  type LostReason,
  type Operator,
  type OrganizationSettings,
  type Pipeline,
  type Stage,
  type StageType,
} from './configuration.ts'
export { countryCodes, isCountry } from './countries.ts'
export { isDate, isDateTime, toUtc } from './dates.ts'
export { isEmail } from './email.ts'
export type {
  Field,
  FieldOrder,
  FieldRole,
  Fields,
  Links,
  MergedList,
  NamesSetting,
  PresentContext,
  Projection,
  Reference,
  ValueOf,
} from './field.ts'
export {
  enabledCurrency,
  flag,
  languageTag,
  longText,
  maskedText,
  optionalPrice,
  optionalWebAddress,
  textMap,
} from './fields/catalogue-fields.ts'
export { type ContactData, contactData } from './fields/contact-data.ts'
export { contactDataFilters, wordsOfContactData } from './fields/contact-data-filters.ts'
export { counted } from './fields/counted.ts'
export {
  customFieldParameter,
  customFieldText,
  customFieldTextSchema,
  hasCustomValue,
  isCustomFieldText,
} from './fields/custom-field-filter.ts'
export {
  type CustomFieldValues,
  customFieldForms,
  customFields,
  missingCustomFields,
} from './fields/custom-field-values.ts'
export { decimal, sumPattern } from './fields/decimal.ts'
export { linkedId, linkedIds } from './fields/linked-ids.ts'
export { computedAmount, currencyOf, optionalAmount, optionalCurrency, shownAmount } from './fields/money-fields.ts'
export { phoneCountries, toE164, withE164 } from './fields/phone-number.ts'
export { placeField, placeInput, placeInSet, placeRank } from './fields/place-fields.ts'
export {
  anonymizedAt,
  choice,
  computed,
  dateTime,
  namesById,
  optionalChoice,
  optionalDate,
  optionalDateTime,
  optionalInteger,
  optionalOperator,
  optionalText,
  personal,
  requiredText,
} from './fields/plain.ts'
export { duplicateLiteral, duplicateLiterals, orderedLinks, withoutReference } from './fields/primary-first-links.ts'
export { secretText } from './fields/secret-text.ts'
export { chosenBy, sorted, sortedForm } from './fields/selected.ts'
export { optionalReference, uniqueReference } from './fields/single-reference.ts'
export { tagIds } from './fields/tag-ids.ts'
export { blocksAfter, timeBlocks } from './fields/time-blocks.ts'
export { websites } from './fields/websites.ts'
export {
  byDate,
  byDateOrTime,
  byId,
  byLink,
  byTime,
  type FieldFilter,
  type FieldFilters,
  type FilterContext,
  frequencies,
} from './filter.ts'
export type { By, FieldForm } from './form.ts'
export { isHeaderValue, isSameHeader, wrongHeaderName } from './headers.ts'
export {
  beforeAllIds,
  chosenIdForm,
  chosenIdSchema,
  exampleExternalId,
  firstIdAt,
  isChosenId,
  isExternalId,
  isUuid,
  lockNumber,
  namedId,
  newId,
} from './ids.ts'
export {
  canonicalJson,
  canonicalPieces,
  isObject,
  isTexts,
  type JsonObject,
  type JsonSchema,
  type JsonText,
  joined,
  listText,
  ownMember,
  parseJson,
  partsOf,
  sameJson,
  shortBytes,
  sizeOf,
  TextParts,
  textOrNull,
} from './json.ts'
export { pointer } from './json-pointer.ts'
export { canonicalLanguageTag, isLanguageTag } from './language-tag.ts'
export { Decimal, fitsCurrency, formatPrice, isCurrency, minimalDecimal, minorUnitsOf } from './money.ts'
export { didYouMean, editDistance, nearestWord } from './nearest.ts'
export { fileOfChecks } from './prepared-checks.ts'
export { rankBetween, ranksBetween } from './rank.ts'
export {
  codePoints,
  isBlank,
  outerWords,
  phoneDigits,
  phoneWord,
  phoneWords,
  searchForm,
  searchWords,
  tidyText,
  visiblePattern,
} from './text.ts'
export { dateAt, inKnownCase, isLater, isTimeZone, momentAt, startOfDay } from './time-zone.ts'
export { optionalUuidSchema, uuidSchema } from './uuid.ts'
export { compileSchema, compileSchemas, type SchemaCheck, sourceOfDeclaredChecks } from './validator.ts'
export { truthInWords } from './yes-no.ts'
