export { packageFolder, productVersion, programFolder } from './places.ts'
