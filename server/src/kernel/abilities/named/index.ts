export { namedCreate } from './create-named.ts'
export { namedList } from './list-named.ts'
export { namedPage } from './named-page.ts'
export {
  applyNamed,
  type NamedPlace,
  namedRecord,
  namedWriting,
  needNamed,
  pathOfNamed,
  placeOf,
  shownNamed,
} from './named-record.ts'
export { namedRemove } from './remove-named.ts'
export { namedReplace } from './replace-named.ts'
