import type { Command } from 'commander'
import { backUp, openBackup, type RestoredInstallation, restore } from '../../../backup/index.ts'
import { createFiles } from '../../../create-files.ts'
import { type Installation, placeSecret, secretText } from '../../../installation.ts'
import { type CommandLine, jsonOption, type OutputOptions } from '../command-line.ts'

interface RestoreOptions extends OutputOptions {
  readonly otherSecret?: boolean
}

interface BackupOptions extends OutputOptions {
  readonly withFiles?: boolean
  readonly withSecret?: boolean
}

/** Adds what keeps an installation as a whole, and brings it back. */
export function addBackupCommands(program: Command, commandLine: CommandLine): void {
  const backup = program
    .command('backup')
    .description('write all organizations and the job queue into a file, as they are at one moment')
    .argument('<file>', 'the file, which must not be there yet; - for standard output')
    .option('--with-files', 'also the bytes of all files')
    .option('--with-secret', 'also the secret of the installation')
    .option(...jsonOption)
    .action(async (file: string, options: BackupOptions) => {
      const config = commandLine.config()
      // The schema stays as it is: a backup is made before a new version changes it.
      const written = await commandLine.open(config, async installation =>
        backUp(
          withFiles(installation),
          file,
          {
            withFiles: options.withFiles === true,
            secretText: options.withSecret === true ? await secretText(config) : null,
          },
          file === '-' ? commandLine.streams.outBytes : undefined,
        ),
      )
      const { tables, files, removedFiles } = written
      const rows = tables.reduce((sum, table) => sum + table.rows, 0)
      const text = [
        `Wrote ${file === '-' ? 'a backup' : file}: ${rows} rows of ${tables.length} tables, as they were at ${written.snapshotAt}.`,
        files === null ? 'Files are not in it.' : `It has ${files} files.`,
        ...(removedFiles === 0 ? [] : [`${removedFiles} were removed meanwhile, and are missing.`]),
        written.hasSecret ? 'It has the secret: keep it like one.' : 'The secret is not in it: keep it beside.',
      ]
      // Standard output is the backup then.
      const told = options.json === true ? JSON.stringify(written) : text.join(' ')
      if (file === '-') commandLine.streams.err(`${told}\n`)
      else commandLine.print(options, { json: written, text: text.join(' ') })
    })
  backup
    .command('verify')
    .description('read a backup and compare all of it with what its manifest tells')
    .argument('<file>', 'the file')
    .option(...jsonOption)
    .action(async (file: string, _: OutputOptions, command: Command) => {
      // `backup` has these options too, and takes them first.
      const options = command.optsWithGlobals<OutputOptions>()
      const { archive, manifest } = await openBackup(file)
      archive.close()
      const { product, snapshotAt, tables, files, hasSecret } = manifest
      const rows = tables.reduce((sum, table) => sum + table.rows, 0)
      const text = `${file} is whole: ${rows} rows of ${tables.length} tables and ${files ?? 'no'} files of product ${product}, as they were at ${snapshotAt}.`
      const told = { product, snapshotAt, tables: tables.length, rows, files, hasSecret }
      commandLine.print(options, { json: { file, ...told }, text })
    })
  program
    .command('restore')
    .description('fill an empty database with such a file')
    .argument('<file>', 'the file')
    .option('--other-secret', 'although the secret is not that of the backup')
    .option(...jsonOption)
    .action(async (file: string, options: RestoreOptions) => {
      const config = commandLine.config()
      const backup = await openBackup(file)
      try {
        if (backup.secretText !== null) await placeSecret(config, backup.secretText)
        const rules = { mayHaveOtherSecret: options.otherSecret === true }
        const fill = (installation: Installation) => restore(withFiles(installation), backup, rules)
        const restored = await commandLine.open(config, fill, { create: true })
        const hasFiles = backup.manifest.files !== null
        commandLine.print(options, { json: restored, text: textOf(restored, hasFiles).join('\n') })
      } finally {
        backup.archive.close()
      }
    })
}

function withFiles({ database, secret, config }: Installation) {
  return { database, secret, files: createFiles(config, secret) }
}

function textOf({ total, rows, files, snapshotAt, epoch, hasSameSecret }: RestoredInstallation, hasFiles: boolean) {
  const tables = Object.keys(rows).length
  return [
    `Restored ${total} rows of ${tables} tables and ${files} files, as they were at ${snapshotAt}.`,
    `The epoch of the change feeds is ${epoch}: cursors from before answer 410 cursor_expired.`,
    ...(hasFiles ? [] : ['The backup has no files: put them in their place, and see doctor --files.']),
    ...(hasSameSecret ? [] : [otherSecret]),
  ]
}

const otherSecret =
  'The secret is not that of the backup: cursors and links from there are refused here, keys of removed records can be ' +
  'used again, and secrets of API integrations cannot be decrypted.'
