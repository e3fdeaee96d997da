export { Configurations, nothingConfigured, raiseGeneration } from './configurations.ts'
