import type { Command } from 'commander'
import type { CommandLine } from './command-line.ts'

/** Adds commands to the program. */
export type AddCommands = (program: Command, commandLine: CommandLine) => void

interface CommandFile {
  /** The first words of its commands. */
  readonly words: readonly string[]
  load(): Promise<AddCommands>
}

/** The commands of a kind of settings, generated from its declaration. */
function settingFile(word: string): CommandFile {
  return { words: [word], load: async () => (await import('./commands/setting.ts')).settingCommands(word) }
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
  { words: ['user'], load: async () => (await import('./commands/user.ts')).addUserCommands },
  { words: ['member'], load: async () => (await import('./commands/member.ts')).addMemberCommands },
  settingFile('application'),
  { words: ['token'], load: async () => (await import('./commands/token.ts')).addTokenCommands },
  { words: ['webhook'], load: async () => (await import('./commands/webhook.ts')).addWebhookCommands },
  { words: ['scopes'], load: async () => (await import('./commands/scopes.ts')).addScopesCommand },
  settingFile('operator'),
  settingFile('pipeline'),
  settingFile('stage'),
  settingFile('lost-reason'),
  settingFile('channel'),
  settingFile('tag'),
  { words: ['integration'], load: async () => (await import('./commands/integration.ts')).addIntegrationCommands },
  { words: ['secret'], load: async () => (await import('./commands/secret.ts')).addSecretCommands },
  settingFile('custom-field'),
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
 * The functions that add the commands beginning with this word; all functions for the help or for an unknown word. A command loads only its
 * own file: loading all files takes longer than most commands run.
 */
export async function commandsFor(word: string | undefined): Promise<AddCommands[]> {
  const named = files.filter(({ words }) => word !== undefined && words.includes(word))
  return Promise.all((named.length > 0 ? named : files).map(({ load }) => load()))
}
