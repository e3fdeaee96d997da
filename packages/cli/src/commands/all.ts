import type { Command } from 'commander'
import type { Invocation } from '../invocation.ts'
import { addLoginCommand, addLogoutCommand } from './login.ts'
import { addUpsertCommand } from './upsert.ts'
import { addWhoamiCommand } from './whoami.ts'

/** Adds a command to the program. */
export type AddCommand = (program: Command, invocation: Invocation) => void

/** Each command of the program, or group of commands, by its first word. */
const commands: Readonly<Record<string, AddCommand>> = {
  login: addLoginCommand,
  logout: addLogoutCommand,
  whoami: addWhoamiCommand,
  contacts: (program, invocation) => addUpsertCommand('contacts', program, invocation),
  companies: (program, invocation) => addUpsertCommand('companies', program, invocation),
  deals: (program, invocation) => addUpsertCommand('deals', program, invocation),
  tasks: (program, invocation) => addUpsertCommand('tasks', program, invocation),
}

/** Adds the command that the words name, or all of them if they name none. */
export function addCommandsFor(argv: readonly string[], program: Command, invocation: Invocation): void {
  const named = argv.find(word => Object.hasOwn(commands, word))
  const add = named === undefined || argv.includes('completion') ? undefined : commands[named]
  for (const each of add === undefined ? Object.values(commands) : [add]) each(program, invocation)
}
