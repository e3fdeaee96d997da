export type { DemoAdministration } from './administration.ts'
export { type DemoParts, type DemoSummary, ensureDemo, resetDemo } from './demo.ts'
export type { SampleWriter } from './sample-writer.ts'
export { readDemoToken as demoToken } from './token-file.ts'
