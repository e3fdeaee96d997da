export type { Entrypoints } from './entrypoints.ts'
export { runCli } from './run-cli.ts'
