import { type Command, Option } from 'commander'
import type { Operation } from 'crm-sdk'
import { repeatable, UsageError } from '../failure.ts'
import { readBody } from '../input.ts'
import type { Invocation } from '../invocation.ts'
import { inOneLine } from '../output/printable.ts'
import { pagesOf } from '../resources/pages.ts'

interface ApiOptions {
  readonly data?: string
  readonly header?: Readonly<Record<string, string>>
  readonly include?: boolean
  readonly paginate?: boolean
  readonly idempotencyKey?: string
}

const methods = ['GET', 'POST', 'PATCH', 'PUT', 'DELETE'] as const

/** `crm api GET /contacts`: sends any request, and prints its data. */
export function addApiCommand(program: Command, invocation: Invocation): void {
  program
    .command('api')
    .summary('send any request')
    .description('Sends any request of the API, writes with a key of their own, and prints the data of the answer.')
    .argument('<method>', `one of ${methods.join(', ')}`, methodIn)
    .argument('<route>', 'such as /contacts?limit=1, or a whole path that begins with /api/')
    .option('-d, --data <json>', 'the body as JSON, @file, or - for standard input')
    .option('-H, --header <name:value>', 'one more header; repeated', headersIn)
    .option('-i, --include', 'say the status and the headers of the answer, on standard error')
    .option('--paginate', 'read the list to its end')
    .addOption(new Option('--idempotency-key <key>', 'the key of a write that is repeated'))
    .action(async (method: Operation['method'], route: string, options: ApiOptions, command: Command) => {
      const { data, header: headers = {}, paginate = false, idempotencyKey } = options
      if (paginate && method !== 'GET') throw new UsageError('--paginate is for GET alone')
      const body = data === undefined ? undefined : await readBody(invocation.shell, data)
      const { operation, query: asked } = requestFor(method, route, body !== undefined)
      if (paginate && operation.path === '/api/v1/crm/changes')
        throw new UsageError('the change feed has no last page: crm changes follow reads it')
      const crm = await invocation.crmOf(command, { ...(options.include && { fetch: tellingFetch(invocation) }) })
      const send = (query: object) =>
        crm
          .request(
            operation,
            { query: { ...asked, ...query }, body },
            { headers, ...(idempotencyKey !== undefined && { idempotencyKey }) },
          )
          .withResponse()
      const output = invocation.outputOf(command)
      if (!paginate) {
        const { data: answer } = await repeatable(send({}))
        return Array.isArray(answer) ? output.records(answer) : output.record(answer)
      }
      // The first page may have a cursor in its route.
      const pages = pagesOf(cursor => send(cursor === undefined ? {} : { cursor }))
      for await (const page of pages) await output.page(page.data)
    })
}

/** The operation and the query that a method and a route make. Throws UsageError for what is no route. */
function requestFor(
  method: Operation['method'],
  route: string,
  hasBody: boolean,
): { readonly operation: Operation; readonly query: Readonly<Record<string, readonly string[]>> } {
  const [, named = '', search = ''] = /^(\/[^/\s?#{}][^\s?#{}]*)(?:\?([^\s#]*))?$/u.exec(route) ?? []
  if (named === '') throw new UsageError('a route begins with / and has no blanks, # or braces')
  const path = named.startsWith('/api/') ? named : `/api/v1/crm${named}`
  const parameters = new URLSearchParams(search)
  return {
    operation: {
      id: `${method} ${path}`,
      method,
      path,
      query: true,
      ...(hasBody && { body: 'json' }),
      ...(method !== 'GET' && { keyed: true }),
    },
    query: Object.fromEntries([...parameters.keys()].map(name => [name, parameters.getAll(name)])),
  }
}

/** A `fetch` that tells the status and the headers of each answer. */
function tellingFetch({ shell }: Invocation): typeof fetch {
  return async (input, init) => {
    const response = await fetch(input, init)
    const lines = [...response.headers].map(([name, value]) => `${name}: ${inOneLine(value)}\n`)
    shell.say(`HTTP ${response.status}\n${lines.join('')}\n`)
    return response
  }
}

function methodIn(text: string): Operation['method'] {
  const known = methods.find(method => method === text.toUpperCase())
  if (known === undefined) throw new UsageError(`the method is one of ${methods.join(', ')}, and not ${text}`)
  return known
}

function headersIn(text: string, before: ApiOptions['header'] = {}): ApiOptions['header'] {
  const [, name = '', value = ''] = /^([\w-]+):\s*(.*)$/u.exec(text) ?? []
  if (name === '') throw new UsageError('--header takes name:value, such as traceparent:00-…')
  return { ...before, [name]: value }
}
