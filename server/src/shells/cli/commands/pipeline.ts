import { type Command, Option } from 'commander'
import {
  AdministrationError,
  createPipeline,
  pipeline as kind,
  organizationOf,
  setPipeline,
} from '../../../settings/index.ts'
import { type CommandLine, jsonOption, type OutputOptions } from '../command-line.ts'
import { choiceOf } from '../words.ts'
import { addCommonCommands } from './setting.ts'

interface Options extends OutputOptions {
  readonly default?: true
  readonly lostReasonOptional?: boolean
}

interface CreateOptions extends Options {
  readonly organization: string
  readonly name: string
  readonly stage: readonly string[]
}

interface SetOptions extends Options {
  readonly name?: string
  readonly lostReasonRequired?: boolean
}

export function addPipelineCommands(program: Command, commandLine: CommandLine): void {
  const pipeline = program.command('pipeline').description('pipelines, through which deals go')
  addCommonCommands(pipeline, kind, commandLine)
  pipeline
    .command('create')
    .description('create a pipeline with its stages')
    .requiredOption('--organization <id>', 'of which organization')
    .requiredOption('--name <name>', 'its name')
    .requiredOption('--stage <name:type...>', 'a stage of the type open, won or lost; once for each, in order')
    .option('--default', 'new deals go here unless told')
    .option('--lost-reason-optional', 'a lost deal needs no reason')
    .option(...jsonOption)
    .action((options: CreateOptions) =>
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
  pipeline
    .command('set')
    .description('change a pipeline')
    .argument('<id>', 'which one')
    .option('--name <name>', 'its name')
    .option('--default', 'new deals go here unless told, instead of where they went')
    .addOption(new Option('--lost-reason-optional', 'a lost deal needs no reason').conflicts('lostReasonRequired'))
    .option('--lost-reason-required', 'a lost deal needs a reason')
    .option(...jsonOption)
    .action((pipelineId: string, options: SetOptions) =>
      commandLine.run(options, async installation => {
        const organizationId = await organizationOf(installation.database, kind, pipelineId)
        const { name, default: isDefault } = options
        const lostReasonRequired = choiceOf(options.lostReasonRequired, options.lostReasonOptional)
        const change = { name, isDefault, lostReasonRequired }
        const changed = await setPipeline(installation, { organizationId, pipelineId, ...change })
        return { json: changed, text: `Changed pipeline ${changed.id}.` }
      }),
    )
}

/** The type stands behind the last colon, because a name may hold one. */
function stageOf(text: string): { name: string; type: string } {
  const colon = text.lastIndexOf(':')
  if (colon < 0) throw new AdministrationError(`"${text}" is no stage: write its name and type, such as New:open`)
  return { name: text.slice(0, colon), type: text.slice(colon + 1).trim() }
}
