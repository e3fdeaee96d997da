import type { Command } from 'commander'
import { UsageError } from '../failure.ts'
import type { Invocation } from '../invocation.ts'
import { addFileOptions } from '../rows/file-options.ts'
import type { RowKind } from '../rows/shape.ts'
import { type FileOptions, upsertFile } from '../rows/upsert-file.ts'

/** `crm contacts upsert --file`: creates or updates the records in a file. */
export function addUpsertCommand(kind: RowKind, program: Command, invocation: Invocation): void {
  const upsert = program.command(kind).description(kind).command('upsert')
  upsert.description(`create or update ${kind} by their keys`)
  addFileOptions(upsert)
  upsert.action(async (options: Partial<FileOptions>, command: Command) => {
    const { file } = options
    if (file === undefined) throw new UsageError('--file is missing')
    await upsertFile(kind, { ...options, file }, command, invocation)
  })
}
