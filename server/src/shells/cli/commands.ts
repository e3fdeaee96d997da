import type { Command } from 'commander'
import type { CommandLine } from './command-line.ts'

/** Adds commands to the program. */
export type AddCommands = (program: Command, commandLine: CommandLine) => void

interface CommandFile {
  /** The first words of its commands. */
  readonly words: readonly string[]
  load(): Promise<AddCommands>
}

/** All commands, in the order in which the help lists them. */
const files: readonly CommandFile[] = [
  { words: ['serve'], load: async () => (await import('./commands/serve.ts')).addServeCommand },
  { words: ['migrate'], load: async () => (await import('./commands/migrate.ts')).addMigrateCommand },
  { words: ['doctor'], load: async () => (await import('./commands/doctor.ts')).addDoctorCommand },
  { words: ['demo'], load: async () => (await import('./commands/demo.ts')).addDemoCommands },
  { words: ['maintenance'], load: async () => (await import('./commands/maintenance.ts')).addMaintenanceCommands },
  { words: ['backup', 'restore'], load: async () => (await import('./commands/backup.ts')).addBackupCommands },
  { words: ['feed'], load: async () => (await import('./commands/feed.ts')).addFeedCommands },
  { words: ['job'], load: async () => (await import('./commands/job.ts')).addJobCommands },
  { words: ['request'], load: async () => (await import('./commands/request.ts')).addRequestCommands },
  { words: ['usage'], load: async () => (await import('./commands/usage.ts')).addUsageCommand },
  { words: ['audit'], load: async () => (await import('./commands/audit.ts')).addAuditCommands },
  { words: ['organization'], load: async () => (await import('./commands/organization.ts')).addOrganizationCommands },
  { words: ['application'], load: async () => (await import('./commands/application.ts')).addApplicationCommands },
  { words: ['token'], load: async () => (await import('./commands/token.ts')).addTokenCommands },
  { words: ['scopes'], load: async () => (await import('./commands/scopes.ts')).addScopesCommand },
  { words: ['operator'], load: async () => (await import('./commands/operator.ts')).addOperatorCommands },
  { words: ['pipeline'], load: async () => (await import('./commands/pipeline.ts')).addPipelineCommands },
  { words: ['stage'], load: async () => (await import('./commands/stage.ts')).addStageCommands },
  { words: ['lost-reason'], load: async () => (await import('./commands/lost-reason.ts')).addLostReasonCommands },
  { words: ['channel'], load: async () => (await import('./commands/channel.ts')).addChannelCommands },
  { words: ['tag'], load: async () => (await import('./commands/tag.ts')).addTagCommands },
  { words: ['integration'], load: async () => (await import('./commands/integration.ts')).addIntegrationCommands },
  { words: ['secret'], load: async () => (await import('./commands/secret.ts')).addSecretCommands },
  { words: ['custom-field'], load: async () => (await import('./commands/custom-field.ts')).addCustomFieldCommands },
  { words: ['knowledge'], load: async () => (await import('./commands/knowledge.ts')).addKnowledgeCommands },
  {
    words: ['completion'],
    load: async () => {
      const { addCompletionCommand } = await import('./commands/completion.ts')
      return (program, commandLine) => addCompletionCommand(program, commandLine, () => commandsFor(undefined))
    },
  },
]

/**
 * What adds the commands that begin with this word; for the help, and for a word that is none of theirs, what adds all.
 * A command loads its own file alone: to load what others need takes longer than most of them run.
 */
export async function commandsFor(word: string | undefined): Promise<AddCommands[]> {
  const named = files.filter(({ words }) => word !== undefined && words.includes(word))
  return Promise.all((named.length > 0 ? named : files).map(({ load }) => load()))
}
