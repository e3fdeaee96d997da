export { Configurations } from './configurations.ts'
