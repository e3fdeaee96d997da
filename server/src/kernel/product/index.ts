export { packageFolder, productVersion, programFolder } from './program-folders.ts'
