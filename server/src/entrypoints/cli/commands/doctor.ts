import type { Command } from 'commander'
import { type CommandLine, jsonOption, type OutputOptions } from '../command-line.ts'
import { type DoctorOptions, examine } from '../doctor/examine.ts'

export function addDoctorCommand(program: Command, commandLine: CommandLine): void {
  program
    .command('doctor')
    .description('check all that the server depends on')
    .option('--files', 'also compare every stored file with what is recorded')
    .option(...jsonOption)
    .action(async (options: OutputOptions & DoctorOptions) => {
      const checks = await examine(commandLine, options)
      const lines = checks.map(({ name, ok, message }) => `${ok ? 'ok    ' : 'FAILED'} ${name}: ${message}`)
      commandLine.print(options, { json: { checks }, text: lines.join('\n') })
      const failed = checks.filter(({ ok }) => !ok).map(({ name }) => name)
      if (failed.length > 0) throw new Error(`failed: ${failed.join(', ')}`)
    })
}
