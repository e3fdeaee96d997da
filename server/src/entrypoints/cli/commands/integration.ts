import type { Command } from 'commander'
import { settingNamed } from '../../../settings/index.ts'
import { type CommandLine, jsonOption, type OutputOptions } from '../command-line.ts'
import { printable } from '../printable.ts'

interface TestOptions extends OutputOptions {
  readonly params: string
}

export function addIntegrationCommands(program: Command, commandLine: CommandLine): void {
  const integration = program.command('integration').description('calls of other systems that AI agents may make')
  integration
    .command('test')
    .description('call the other system once, and print what it answers')
    .argument('<id>', 'which API integration, or the name that it alone has')
    .option('--params <json>', 'the values of its parameters, as a JSON object', '{}')
    .option(...jsonOption)
    .action((text: string, options: TestOptions) =>
      commandLine.run(options, async ({ config, database, secret }) => {
        const { apiIntegration, testIntegration } = await import('../../../ai-agents/api-integrations/index.ts')
        const { Outbound } = await import('../../../kernel/outbound/index.ts')
        const parameters = parametersIn(options.params)
        const outbound = new Outbound({ allowedNetworks: config.outboundAllowedNetworks })
        const integrationNamed = await settingNamed(database, apiIntegration, text)
        const test = { ...integrationNamed, parameters }
        const tested = await testIntegration(test, { database, secret, outbound })
        const { method, url, status, milliseconds, headers, body, isCut } = tested
        const told = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
        const head = [`${method} ${url}`, `${status} after ${milliseconds} ms`, ...told].join('\n')
        return { json: tested, text: printable(`${head}\n\n${body}${isCut ? '…' : ''}`) }
      }),
    )
}

function parametersIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new Error(`--params is no JSON: an object such as {"orderNumber":"17"} is expected`)
  }
}
