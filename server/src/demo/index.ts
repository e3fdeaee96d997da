export type { DemoAdministration } from './administration.ts'
export { comesBesideOthers, type DemoParts, ensureDemo, resetDemo } from './demo.ts'
export type { SampleWriter } from './sample-writer.ts'
export { demoToken } from './token-file.ts'
