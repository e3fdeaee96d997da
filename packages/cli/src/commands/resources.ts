import { type Command, Option } from 'commander'
import { UsageError } from '../failure.ts'
import { commandTable } from '../generated/commands.ts'
import type { Invocation } from '../invocation.ts'
import type { DeclaredCommand, DeclaredOption } from '../resources/declared.ts'
import { integerIn, integerOrNothing, wordIn } from '../resources/given.ts'
import { runDeclared } from '../resources/run-declared.ts'
import { addFileOptions } from '../rows/file-options.ts'
import type { RowKind } from '../rows/shape.ts'
import { type FileOptions, upsertFile } from '../rows/upsert-file.ts'
import { addMergeCommand } from './merge.ts'

/** Adds `crm contacts …` or the commands of another resource, as the table declares them. */
export function addResourceCommands(resource: string, program: Command, invocation: Invocation): void {
  const groups = new Map([['', program]])
  for (const declared of commandTable.filter(({ words }) => words[0] === resource)) {
    const path = declared.words.slice(0, -1)
    addCommand(groupAt(path, groups), declared, invocation)
  }
  if (resource === 'contacts' || resource === 'companies')
    addMergeCommand(resource, groupAt([resource], groups), invocation)
}

/** The group of commands with these words, which is made when it is needed. */
function groupAt(words: readonly string[], groups: Map<string, Command>): Command {
  const path = words.join(' ')
  const found = groups.get(path)
  if (found !== undefined) return found
  const name = words.at(-1) ?? ''
  const made = groupAt(words.slice(0, -1), groups)
    .command(name)
    .description(`read and change ${words.length === 1 ? name : `${name} of ${words.slice(0, -1).join(' ')}`}`)
  groups.set(path, made)
  return made
}

function addCommand(group: Command, declared: DeclaredCommand, invocation: Invocation): void {
  const { operation, parameters, options, reads, erases, words } = declared
  const command = group.command(words.at(-1) ?? '').summary(declared.summary)
  command.description([`${declared.summary}.`, declared.description].join('\n\n'))
  for (const { name, description } of parameters) command.argument(`<${name}>`, description)
  if (operation.body === 'form') command.argument('<files...>', 'The files to attach.')
  for (const option of options) command.addOption(optionFor(option, reads !== undefined))
  if (operation.body === 'json')
    command.option('-d, --data <json>', 'the body as JSON, @file, or - for standard input; options replace its members')
  if (operation.paged)
    command
      .option('--limit <n>', 'how many records at most; 50 unless given', integerIn('--limit'))
      .option('--all', 'all records, however many')
  if (erases) command.option('-y, --yes', 'do it without a question')
  if (operation.keyed) command.option('--idempotency-key <key>', 'the key of a command that is repeated')
  const run = () => runDeclared(declared, command, invocation)
  const kind = rowKinds.find(each => declared.words.join(' ') === `${each} upsert`)
  if (kind === undefined) command.action(run)
  else letItReadFiles(kind, command, invocation, run)
}

const rowKinds = ['contacts', 'companies', 'deals', 'tasks'] as const satisfies readonly RowKind[]

/** Lets an upsert take a file of rows instead of one record. */
function letItReadFiles(kind: RowKind, command: Command, invocation: Invocation, run: () => Promise<void>): void {
  const forOne = new Set(command.options)
  addFileOptions(command)
  const goesWithBoth = new Set(['overwrite'])
  /** Throws UsageError for an option of the other form. */
  const refuse = (isOther: (option: Option) => boolean, told: (flag: string) => string) => {
    const isGiven = (option: Option) => command.getOptionValueSource(option.attributeName()) === 'cli'
    const other = command.options.filter(option => !goesWithBoth.has(option.attributeName()) && isOther(option))
    const [option] = other.filter(isGiven)
    if (option !== undefined) throw new UsageError(told(option.long ?? ''))
  }
  command.action(async (options: Partial<FileOptions>) => {
    const { file } = options
    if (file === undefined) {
      refuse(
        option => !forOne.has(option),
        flag => `${flag} goes with --file alone`,
      )
      return run()
    }
    refuse(
      option => forOne.has(option),
      flag => `${flag} is for one record, and --file for many`,
    )
    await upsertFile(kind, { ...options, file }, command, invocation)
  })
}

function optionFor(
  { name, flag, kind, description, nullable, values, in: place }: DeclaredOption,
  isRead: boolean,
): Option {
  const told = [description, ...(nullable ? ["'' takes the value away."] : [])].join(' ')
  if (name === 'expectedVersion' && isRead)
    return new Option(
      `--${flag} <n>`,
      `${description} Unless given, that of the record as it is read right before.`,
    ).argParser(integerIn(`--${flag}`))
  if (kind === 'integer' && !nullable) return new Option(`--${flag} <n>`, told).argParser(integerIn(`--${flag}`))
  if (kind === 'integer') return new Option(`--${flag} <n>`, told).argParser(integerOrNothing(`--${flag}`))
  if (kind === 'boolean' && place === 'query') return new Option(`--${flag}`, told)
  if (kind === 'boolean') return new Option(`--${flag} <value>`, told).choices(['true', 'false'])
  if (kind === 'list') return new Option(`--${flag} <value>`, told).argParser(collected)
  if (values !== undefined)
    return new Option(`--${flag} <value>`, told).argParser(wordIn(`--${flag}`, nullable ? [...values, ''] : values))
  return kind === 'pairs'
    ? new Option(`--${flag} <key=value>`, told).argParser(collected)
    : new Option(`--${flag} <value>`, told)
}

const collected = (value: string, before: readonly string[] = []): string[] => [...before, value]
