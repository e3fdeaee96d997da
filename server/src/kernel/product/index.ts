export { packageFolder, programFolder } from './places.ts'
export { productVersion } from './version.ts'
