import type { Command } from 'commander'
import { listOrganizations } from '../../../settings/index.ts'
import { type CommandLine, jsonOption, type OutputOptions } from '../command-line.ts'

export function addSecretCommands(program: Command, commandLine: CommandLine): void {
  const secret = program.command('secret').description('what is encrypted with the secret of the installation')
  secret
    .command('rotate')
    .description('encrypt with CRM_SECRET what was encrypted with CRM_SECRET_PREVIOUS')
    .option(...jsonOption)
    .action((options: OutputOptions) =>
      commandLine.run(options, async ({ database, secret }) => {
        const { encryptAgain } = await import('../../../kernel/index.ts')
        const { nestedResources, resources } = await import('../../../modules.ts')
        let [encrypted, unreadable] = [0, 0]
        for (const { id } of await listOrganizations(database)) {
          const done = await encryptAgain([...resources, ...nestedResources], String(id), { database, secret })
          encrypted += done.encrypted
          unreadable += done.unreadable
        }
        if (unreadable > 0) commandLine.status = 1
        const left = unreadable === 0 ? '' : ` ${unreadable} cannot be decrypted: see "Secrets" in docs/operations.md.`
        return { json: { encrypted, unreadable }, text: `Encrypted ${encrypted} secrets with CRM_SECRET.${left}` }
      }),
    )
}
