import type { Command } from 'commander'
import {
  AdministrationError,
  createLostReason,
  createPipeline,
  organizationOf,
  setStage,
} from '../../../settings/index.ts'
import { type CommandLine, jsonOption, type OutputOptions } from '../command-line.ts'

interface PipelineOptions extends OutputOptions {
  readonly organization: string
  readonly name: string
  readonly stage: readonly string[]
  readonly default?: boolean
  readonly lostReasonOptional?: boolean
}

interface StageOptions extends OutputOptions {
  readonly archived?: boolean
}

interface LostReasonOptions extends OutputOptions {
  readonly organization: string
  readonly name: string
  readonly pipeline?: string
}

/** Pipelines, their stages, and why deals are lost. */
export function addPipelineCommands(program: Command, commandLine: CommandLine): void {
  program
    .command('pipeline')
    .description('create pipelines')
    .command('create')
    .description('create a pipeline with its stages')
    .requiredOption('--organization <id>', 'of which organization')
    .requiredOption('--name <name>', 'its name')
    .requiredOption('--stage <name:type...>', 'a stage of the type open, won or lost; once for each, in order')
    .option('--default', 'new deals go here unless told')
    .option('--lost-reason-optional', 'a lost deal needs no reason')
    .option(...jsonOption)
    .action((options: PipelineOptions) =>
      commandLine.run(options, async installation => {
        const { organization: organizationId, name, default: isDefault } = options
        const stages = options.stage.map(stageOf)
        const lostReasonRequired = !options.lostReasonOptional
        const input = { organizationId, name, stages, isDefault, lostReasonRequired }
        const created = await createPipeline(installation, input)
        const lines = created.stages.map(stage => `  ${stage.uuid}  ${stage.name} (${stage.type})`)
        return { json: created, text: [`Created pipeline ${created.id}:`, ...lines].join('\n') }
      }),
    )
  program
    .command('stage')
    .description('change stages')
    .command('set')
    .description('change a stage')
    .argument('<uuid>', 'which one')
    .option('--archived', 'no more deals can enter it')
    .option('--no-archived', 'deals can enter it')
    .option(...jsonOption)
    .action((stageUuid: string, options: StageOptions) =>
      commandLine.run(options, async installation => {
        const organizationId = await organizationOf(installation.database, 'stage', stageUuid)
        const changed = await setStage(installation, { organizationId, stageUuid, archived: options.archived })
        return { json: changed, text: `Changed stage ${changed.id}.` }
      }),
    )
  program
    .command('lost-reason')
    .description('create reasons for lost deals')
    .command('create')
    .description('create a reason for lost deals')
    .requiredOption('--organization <id>', 'of which organization')
    .requiredOption('--name <name>', 'its name')
    .option('--pipeline <id>', 'for this pipeline only')
    .option(...jsonOption)
    .action((options: LostReasonOptions) =>
      commandLine.run(options, async installation => {
        const { organization: organizationId, name, pipeline: pipelineId } = options
        const created = await createLostReason(installation, { organizationId, name, pipelineId })
        return { json: created, text: `Created lost reason ${created.uuid}.` }
      }),
    )
}

/** The type stands behind the last colon, because a name may hold one. */
function stageOf(text: string): { name: string; type: string } {
  const colon = text.lastIndexOf(':')
  if (colon < 0) throw new AdministrationError(`"${text}" is no stage: write its name and type, such as New:open`)
  return { name: text.slice(0, colon), type: text.slice(colon + 1).trim() }
}
