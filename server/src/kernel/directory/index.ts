export { Directories } from './directories.ts'
