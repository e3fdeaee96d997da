import { Command } from 'commander'
import { expect, test } from 'vitest'
import { answerNames } from '../generated/answer-names.ts'
import { commandTable } from '../generated/commands.ts'
import { createProgram } from '../run-crm.ts'

const ofProgram = new Set(createProgram({ print: async () => true }).options.map(({ long }) => long))
const ofCommands = new Set(['--data', '--limit', '--all', '--yes', '--idempotency-key', '--help', '--file'])

test('the four resources have commands', () => {
  const words = commandTable.map(command => command.words.join(' '))
  for (const resource of ['contacts', 'companies', 'deals', 'tasks'])
    for (const verb of ['list', 'get', 'create', 'update', 'upsert', 'delete'])
      expect(words).toContain(`${resource} ${verb}`)
  expect(new Set(words).size).toBe(words.length)
})

test.each(commandTable.map(command => [command.words.join(' '), command] as const))(
  'the options of %s have names of their own, under which the program finds their values',
  (_, { options }) => {
    const flags = options.map(({ flag }) => `--${flag}`)
    expect(new Set(flags).size).toBe(flags.length)
    expect(flags.filter(flag => ofProgram.has(flag) || ofCommands.has(flag) || flag.startsWith('--no-'))).toEqual([])
    for (const { name, flag } of options) {
      const made = new Command().option(`--${flag} <value>`).options[0]
      expect(made?.attributeName()).toBe(name)
    }
  },
)

test('the members of all answers are known', () => {
  for (const { answer } of commandTable) expect(Object.keys(answerNames[answer] ?? {})).not.toEqual([])
  for (const name of ['ContactMerge', 'CompanyMerge', 'ChangeEvent']) expect(answerNames).toHaveProperty(name)
})
