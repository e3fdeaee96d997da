export { runCli } from './run-cli.ts'
export type { Shells } from './shells.ts'
