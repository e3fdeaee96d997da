export { namedCreate } from './create-named.ts'
export { namedList } from './list-named.ts'
export { namedPage } from './named-page.ts'
export {
  answerNamed,
  applyNamed,
  type NamedPlace,
  namedRecord,
  namedWriting,
  needNamed,
  pathOfNamed,
  placeOf,
} from './named-record.ts'
export { answerAccepted, namedRemove } from './remove-named.ts'
export { namedReplace } from './replace-named.ts'
