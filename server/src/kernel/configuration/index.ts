export { Configurations } from './configurations.ts'
export { nothingConfigured } from './nothing-configured.ts'
export { raiseGeneration } from './raise-generation.ts'
