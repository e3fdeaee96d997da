import type { Command } from 'commander'
import { type FoundPassage, findPassages, knowledgeBase } from '../../../ai-agents/knowledge-bases/index.ts'
import { idNamed } from '../../../settings/index.ts'
import { type CommandLine, jsonOption, type OutputOptions } from '../command-line.ts'
import { numberOf } from '../words.ts'

interface Options extends OutputOptions {
  readonly organization: string
  readonly base: string
  readonly query: string
  readonly limit: string
}

const most = 50

export function addKnowledgeCommands(program: Command, commandLine: CommandLine): void {
  const knowledge = program.command('knowledge').description('knowledge bases of AI agents')
  knowledge
    .command('search')
    .description('print the passages of a knowledge base that fit a question best')
    .requiredOption('--organization <id>', 'of which organization')
    .requiredOption('--base <id>', 'which knowledge base')
    .requiredOption('--query <text>', 'a question, or words of it')
    .option('--limit <count>', `how many passages, at most ${most}`, '5')
    .option(...jsonOption)
    .action((options: Options) =>
      commandLine.run(options, async ({ database }) => {
        const { organization: organizationId, base, query: question } = options
        const limit = numberOf(options.limit) ?? 0
        if (!(limit >= 1 && limit <= most)) throw new Error(`--limit is a number from 1 to ${most}`)
        const baseId = await idNamed(database, knowledgeBase, base, organizationId)
        const passages = await findPassages({ organizationId, baseId, question, limit }, { database })
        if (passages === null) throw new Error(`there is no knowledge base ${base} in this organization`)
        const text = passages.length === 0 ? 'Nothing was found.' : passages.map(describe).join('\n\n')
        return { json: { passages }, text }
      }),
    )
}

function describe({ fileName, fileId, heading, page, sheet, row, position, score, text }: FoundPassage): string {
  const places = [
    ...(page === null ? [] : [`page ${page}`]),
    ...(sheet === null ? [] : [`sheet ${sheet}`]),
    ...(row === null ? [] : [`row ${row}`]),
    ...(heading === '' ? [] : [heading]),
  ]
  return `${score}  ${fileName} (${fileId}), passage ${position}${places.map(place => `, ${place}`).join('')}\n${text}`
}
