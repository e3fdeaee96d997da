import type { Command } from 'commander'
import { listOrganizations } from '../../../settings/index.ts'
import type { Installation } from '../../../start/installation.ts'
import { type CommandLine, jsonOption, type OutputOptions } from '../command-line.ts'

interface RotateOptions extends OutputOptions {
  readonly formerLost?: boolean
}

export function addSecretCommands(program: Command, commandLine: CommandLine): void {
  const secret = program.command('secret').description('what is encrypted with the secret of the installation')
  secret
    .command('rotate')
    .description('encrypt with CRM_SECRET what was encrypted with CRM_SECRET_PREVIOUS')
    .option('--former-lost', 'take CRM_SECRET for the secret of the database, although nobody has the former one')
    .option(...jsonOption)
    .action((options: RotateOptions) => {
      const formerLost = options.formerLost === true
      const rotate = async ({ database, secret }: Installation) => {
        const { encryptAgain, rememberSecret } = await import('../../../kernel/index.ts')
        const { nestedResources, resources, settingKinds } = await import('../../../modules.ts')
        const { encryptFactorsAgain } = await import('../../../people/index.ts')
        let { encrypted, unreadable } = await encryptFactorsAgain({ database, secret })
        for (const { id } of await listOrganizations(database)) {
          const done = await encryptAgain([...resources, ...nestedResources, ...settingKinds], String(id), {
            database,
            secret,
          })
          encrypted += done.encrypted
          unreadable += done.unreadable
        }
        if (unreadable > 0) commandLine.status = 1
        await rememberSecret(database, secret, formerLost)
        const left =
          unreadable === 0 ? '' : ` ${unreadable} cannot be decrypted: see "Secrets" in docs/operations/security.md.`
        return { json: { encrypted, unreadable }, text: `Encrypted ${encrypted} secrets with CRM_SECRET.${left}` }
      }
      return commandLine.run(options, rotate, { anySecret: formerLost })
    })
}
