import type { Command } from 'commander'
import type { Invocation } from '../invocation.ts'
import { addApiCommand } from './api.ts'
import { addChangesCommand } from './changes.ts'
import { addCompletionCommand } from './completion.ts'
import { addLoginCommand, addLogoutCommand } from './login.ts'
import { addResourceCommands } from './resources.ts'
import { addTriggerCommand } from './trigger.ts'
import { addWebhooksCommand } from './webhooks.ts'
import { addWhoamiCommand } from './whoami.ts'

/** Adds a command to the program. */
export type AddCommand = (program: Command, invocation: Invocation) => void

/** Each command of the program, or group of commands, by its first word. */
const commands: Readonly<Record<string, AddCommand>> = {
  login: addLoginCommand,
  logout: addLogoutCommand,
  whoami: addWhoamiCommand,
  contacts: (program, invocation) => addResourceCommands('contacts', program, invocation),
  companies: (program, invocation) => addResourceCommands('companies', program, invocation),
  deals: (program, invocation) => addResourceCommands('deals', program, invocation),
  tasks: (program, invocation) => addResourceCommands('tasks', program, invocation),
  api: addApiCommand,
  completion: addCompletionCommand,
  changes: addChangesCommand,
  trigger: addTriggerCommand,
  webhooks: addWebhooksCommand,
}

/** The first words of all commands. */
export const commandNames: readonly string[] = Object.keys(commands)

/** Adds the command that the first word names, or all of them: for help, for completion, and if options come first. */
export function addCommandsFor([word = '']: readonly string[], program: Command, invocation: Invocation): void {
  const named = word !== 'completion' && Object.hasOwn(commands, word) ? commands[word] : undefined
  for (const add of named === undefined ? Object.values(commands) : [named]) add(program, invocation)
}
