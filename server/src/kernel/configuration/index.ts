export { Configurations, nothingConfigured, raiseGeneration, raisePeopleGeneration } from './configurations.ts'
