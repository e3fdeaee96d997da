import type { Command } from 'commander'
import type { Invocation } from '../invocation.ts'

/** `crm whoami`: what the token is, and what it may do. */
export function addWhoamiCommand(program: Command, invocation: Invocation): void {
  program
    .command('whoami')
    .description('show the application of the token, its scopes and its limits')
    .action(async (_options: object, command: Command) => {
      const { url, from } = await invocation.connectionOf(command)
      const crm = await invocation.crmOf(command)
      const { organization, application, token, rateLimits } = await crm.capabilities.get()
      await invocation.outputOf(command).record({
        url,
        from,
        organization: organization.name,
        application: application.name,
        tokenId: token.id,
        expiresAt: token.expiresAt,
        readsPerMinute: perMinute(rateLimits.read),
        writesPerMinute: perMinute(rateLimits.write),
        scopes: token.scopes,
      })
    })
}

const perMinute = ({ limit, windowSeconds }: { readonly limit: number; readonly windowSeconds: number }) =>
  Math.round((limit * 60) / windowSeconds)
