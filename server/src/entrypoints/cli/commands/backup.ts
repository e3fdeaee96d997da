import type { Command } from 'commander'
import {
  type ArchiveContent,
  ArchiveError,
  backUpInto,
  fileTarget,
  openArchive,
  type Restored,
  restore,
  streamTarget,
  type WrittenManifest,
  writeArchive,
} from '../../../archive/index.ts'
import { createFiles } from '../../../start/create-files.ts'
import { type Installation, installationSecret, placeSecret } from '../../../start/installation.ts'
import { type CommandLine, jsonOption, type OutputOptions } from '../command-line.ts'
import { numberOf } from '../words.ts'

interface RestoreOptions extends OutputOptions {
  readonly otherSecret?: boolean
}

interface BackupOptions extends OutputOptions {
  readonly to?: string
  readonly keep?: string
  readonly withFiles?: boolean
  readonly withSecret?: boolean
}

/** What was written, and where it is stored. */
interface Kept extends WrittenManifest {
  readonly file: string
  readonly removed?: readonly string[]
}

const archiveArgument = ['<file>', 'the file, or s3://bucket/key'] as const

/** Adds the commands that back up and restore a whole installation. */
export function addBackupCommands(program: Command, commandLine: CommandLine): void {
  const backup = program
    .command('backup')
    .description('write all organizations and the job queue into a file, as they are at one moment')
    .argument('[file]', 'the file, which must not be there yet; - for standard output')
    .option('--to <place>', 'instead: a folder, or s3://bucket/prefix, for a file with a dated name')
    .option('--keep <number>', 'with --to: remove the oldest such files there, when the new one was read back')
    .option('--with-files', 'also the bytes of all files')
    .option('--with-secret', 'also the secret of the installation')
    .option(...jsonOption)
    .action(async (file: string | undefined, options: BackupOptions) => {
      const config = commandLine.config()
      const place = placeOf(file, options)
      // The schema stays as it is: operators make a backup before a new version changes it.
      const written = await commandLine.open(config, async installation => {
        const text = options.withSecret === true ? await installationSecret(config) : null
        const content = { organizationId: null, withFiles: options.withFiles === true, secretText: text }
        return write(installation, place, content, commandLine)
      })
      // Standard output carries the backup then.
      const told = options.json === true ? JSON.stringify(written) : wordsOf(written)
      if (file === '-') commandLine.streams.err(`${told}\n`)
      else commandLine.print(options, { json: written, text: told })
    })
  backup
    .command('verify')
    .description('read a backup, or the file of an organization, and compare all of it with what its manifest tells')
    .argument(...archiveArgument)
    .option(...jsonOption)
    .action(async (file: string, _: OutputOptions, command: Command) => {
      // `backup` has these options too, and parses them first.
      const options = command.optsWithGlobals<OutputOptions>()
      const { content, manifest } = await openArchive(file, commandLine.config().s3)
      content.close()
      const { product, snapshotAt, organization, files, hasSecret } = manifest
      const { rows, tables } = sizeOf(manifest)
      const of = organization === null ? '' : ` of the organization ${organization.id} "${organization.name}"`
      const text = `${file} is whole: ${rows} rows of ${tables} tables and ${files ?? 'no'} files${of} of product ${product}, as they were at ${snapshotAt}.`
      const json = { file, product, snapshotAt, organization, tables, rows, files, hasSecret }
      commandLine.print(options, { json, text })
    })
  program
    .command('restore')
    .description('fill an empty database with a backup, or with the file of an organization')
    .argument(...archiveArgument)
    .option('--other-secret', 'although the secret is not that of the backup')
    .option(...jsonOption)
    .action(async (file: string, options: RestoreOptions) => {
      const config = commandLine.config()
      const archive = await openArchive(file, config.s3)
      try {
        if (archive.secretText !== null) await placeSecret(config, archive.secretText)
        const rules = { mayHaveOtherSecret: options.otherSecret === true }
        const fill = (installation: Installation) => restore(partsOf(installation), archive, rules)
        const restored = await commandLine.open(config, fill, { create: true })
        const hasFiles = archive.manifest.files !== null
        commandLine.print(options, { json: restored, text: textOf(restored, hasFiles).join('\n') })
      } finally {
        archive.content.close()
      }
    })
}

/** Where a backup goes: into a file, to standard output, or into a folder under a dated name. */
type Place = { readonly file: string } | { readonly folder: string; readonly keep: number | null }

function placeOf(file: string | undefined, { to, keep: text }: BackupOptions): Place {
  if ((file === undefined) === (to === undefined))
    throw new ArchiveError('a backup goes into a file, or with --to into a folder or bucket: name one of them')
  const keep = numberOf(text) ?? null
  if (file !== undefined && keep !== null) throw new ArchiveError('--keep goes with --to')
  if (keep !== null && !(keep >= 1)) throw new ArchiveError('--keep is a whole number from 1 on')
  return to === undefined ? { file: file ?? '-' } : { folder: to, keep }
}

async function write(
  installation: Installation,
  place: Place,
  content: ArchiveContent,
  { streams }: CommandLine,
): Promise<Kept> {
  const parts = partsOf(installation)
  if ('folder' in place) {
    const { folder, keep } = place
    return backUpInto(parts, folder, { ...content, keep, access: installation.config.s3, now: new Date() })
  }
  const { file } = place
  const output = file === '-' ? streams.outBytes : undefined
  const target = output === undefined ? await fileTarget(file, { replace: false }) : streamTarget(output)
  return { ...(await writeArchive(parts, target, content)), file }
}

function partsOf({ database, secret, config }: Installation) {
  return { database, secret, files: createFiles(config, secret) }
}

function sizeOf({ tables }: Pick<WrittenManifest, 'tables'>): { rows: number; tables: number } {
  return { rows: tables.reduce((sum, table) => sum + table.rows, 0), tables: tables.length }
}

function wordsOf(written: Kept): string {
  const { file, files, removedFiles, removed = [] } = written
  const { rows, tables } = sizeOf(written)
  return [
    `Wrote ${file === '-' ? 'a backup' : file}: ${rows} rows of ${tables} tables, as they were at ${written.snapshotAt}.`,
    files === null ? 'Files are not in it.' : `It has ${files} files.`,
    ...(removedFiles === 0 ? [] : [`${removedFiles} were removed meanwhile, and are missing.`]),
    written.hasSecret ? 'It has the secret: keep it like one.' : 'The secret is not in it: keep it beside.',
    ...(removed.length === 0 ? [] : [`Removed older ones: ${removed.join(', ')}.`]),
  ].join(' ')
}

function textOf(restored: Restored, hasFiles: boolean): string[] {
  if ('name' in restored)
    return [
      `Restored organization ${restored.id} "${restored.name}": ${restored.total} rows. Its applications have no tokens yet: see token create.`,
      ...(restored.hasSameSecret ? [] : [otherSecret]),
    ]
  const { total, rows, files, snapshotAt, epoch, hasSameSecret } = restored
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
