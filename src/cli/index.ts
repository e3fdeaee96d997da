export { runCli } from './run-cli.ts'
export type { Role, Shells } from './shells.ts'
