import type { Command } from 'commander'
import { type FoundRequest, findRequests } from '../../../requests/index.ts'
import { type CommandLine, jsonOption, type OutputOptions } from '../command-line.ts'

export function addRequestCommands(program: Command, commandLine: CommandLine): void {
  const request = program.command('request').description('what requests of the API have done')
  request
    .command('show')
    .description('print what a request has left: its answer, audit entries, change events')
    .argument('<id>', 'requestId of an answer or error, or the X-Request-Id of the client')
    .option(...jsonOption)
    .action((id: string, options: OutputOptions) =>
      commandLine.run(options, async installation => {
        const requests = await findRequests(installation, id)
        if (requests.length === 0) throw new Error(`nothing is kept of a request ${id}`)
        return { json: { requests }, text: requests.map(describe).join('\n\n') }
      }),
    )
}

function describe({ requestId, clientRequestId, answers, auditEntries, changes, ...request }: FoundRequest): string {
  const named = clientRequestId === null ? '' : `, called ${clientRequestId} by the client`
  return [
    `Request ${requestId}${named}`,
    `  organization ${request.organizationId}, application ${request.applicationId ?? 'none'}`,
    ...answers.map(({ operation, status, createdAt }) => `  ${operation ?? 'answered'}: ${status} at ${createdAt}`),
    ...(answers.length === 0 ? ['  no answer is kept'] : []),
    ...auditEntries.map(describeEntry),
    ...changes.map(
      ({ seq, kind, resourceId, version }) => `  event ${seq}: ${kind} ${resourceId}, version ${version ?? 'none'}`,
    ),
    `  in the log: ${JSON.stringify(request.log).slice(1, -1)}`,
  ].join('\n')
}

function describeEntry({
  occurredAt,
  action,
  resourceId,
  tokenId,
  addressClass,
  actorType,
}: FoundRequest['auditEntries'][number]): string {
  const source = tokenId === null ? '' : `, token ${tokenId} from a ${addressClass ?? 'unknown'} address`
  return `  ${occurredAt} ${action} ${resourceId} by ${actorType}${source}`
}
