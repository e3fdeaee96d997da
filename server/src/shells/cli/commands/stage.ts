import type { Command } from 'commander'
import { createStage, stage as kind, organizationOf, pipeline, setStage } from '../../../settings/index.ts'
import { type CommandLine, jsonOption, type OutputOptions } from '../command-line.ts'
import { numberOf } from '../words.ts'
import { addCommonCommands } from './setting.ts'

interface CreateOptions extends OutputOptions {
  readonly pipeline: string
  readonly name: string
  readonly type: string
  readonly position?: string
}

interface SetOptions extends OutputOptions {
  readonly name?: string
  readonly position?: string
  readonly archived?: boolean
}

export function addStageCommands(program: Command, commandLine: CommandLine): void {
  const stage = program.command('stage').description('stages of pipelines')
  addCommonCommands(stage, kind, commandLine)
  stage
    .command('create')
    .description('add a stage to a pipeline')
    .requiredOption('--pipeline <id>', 'of which pipeline')
    .requiredOption('--name <name>', 'its name')
    .requiredOption('--type <type>', 'open, won or lost')
    .option('--position <n>', 'its place, from 0 (the last one)')
    .option(...jsonOption)
    .action((options: CreateOptions) =>
      commandLine.run(options, async installation => {
        const { pipeline: pipelineId, name, type } = options
        const organizationId = await organizationOf(installation.database, pipeline, pipelineId)
        const position = numberOf(options.position)
        const created = await createStage(installation, { organizationId, pipelineId, name, type, position })
        return { json: created, text: `Created stage ${created.uuid}.` }
      }),
    )
  stage
    .command('set')
    .description('change a stage')
    .argument('<uuid>', 'which one')
    .option('--name <name>', 'its name')
    .option('--position <n>', 'its place, from 0')
    .option('--archived', 'no more deals can enter it')
    .option('--no-archived', 'deals can enter it')
    .option(...jsonOption)
    .action((stageUuid: string, options: SetOptions) =>
      commandLine.run(options, async installation => {
        const organizationId = await organizationOf(installation.database, kind, stageUuid)
        const { name, archived } = options
        const change = { name, archived, position: numberOf(options.position) }
        const changed = await setStage(installation, { organizationId, stageUuid, ...change })
        return { json: changed, text: `Changed stage ${changed.id}.` }
      }),
    )
}
