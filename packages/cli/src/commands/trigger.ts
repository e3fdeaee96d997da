import { Argument, type Command } from 'commander'
import type { Invocation } from '../invocation.ts'
import { triggers } from '../trigger/events.ts'

/** Tokens of a sandbox begin so: what is made there disturbs nobody. */
const sandboxToken = 'crm_test_'

/** `crm trigger deal.won`: makes an event happen, with records of its own. */
export function addTriggerCommand(program: Command, invocation: Invocation): void {
  program
    .command('trigger')
    .description('make a real event happen, with example records that it creates')
    .addArgument(new Argument('<kind>', 'the event').choices(Object.keys(triggers)))
    .option('--yes', 'do not ask, although the organization is no sandbox')
    .action(async (kind: string, { yes }: { readonly yes?: boolean }, command: Command) => {
      const trigger = triggers[kind]
      if (trigger === undefined) throw new Error(`commander has let ${kind} pass`)
      const { token } = await invocation.connectionOf(command)
      const crm = await invocation.crmOf(command)
      const { organization, directories } = await crm.capabilities.get()
      if (yes !== true && !token.startsWith(sandboxToken))
        await invocation.confirm(`${organization.name} is no sandbox, and this ${trigger.does} there. Go on?`)
      await invocation.outputOf(command).records(await trigger.run(crm, directories))
    })
}
