import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { type OperationName, operationNames } from './protocol.ts'

export interface Options {
  readonly operations: readonly OperationName[]
  /** Total of contacts in the database, one run for each. */
  readonly contacts: readonly number[]
  /** Number of organizations that share the contacts and the load, one run for each. */
  readonly organizations: readonly number[]
  /** Concurrent clients, each with a token of its own application, one run for each number. */
  readonly connections: readonly number[]
  /** Processes of each server that answer requests, one run for each number. */
  readonly processes: readonly number[]
  /** Additional milliseconds of each commit, as with a synchronous standby. */
  readonly commitDelay: number
  /** Duration of one round of one side. */
  readonly seconds: number
  readonly rounds: number
  /** The compiled program to measure. */
  readonly product: string
  /** Arguments for its Node.js, such as `--cpu-prof`. */
  readonly nodeArguments: readonly string[]
  /** Measure how long the first and later starts take, nothing else. */
  readonly startup: boolean
  /** Measure the summary of analytics instead, in an organization with that many deals. */
  readonly summary: boolean
  readonly deals: number
  /** Measure a bulk job beside batch upserts instead. */
  readonly bulk: boolean
  /** Measure an export of contacts instead. */
  readonly export: boolean
  /** Measure an import of contacts beside batch upserts instead. */
  readonly import: boolean
  /** Compare the cost of products with that of contacts instead. */
  readonly products: boolean
  /** Measure reads of a quiet organization while another one writes instead. */
  readonly besideWrites: boolean
  /** Measure the cost of operations in processor time and on disk instead. */
  readonly capacity: boolean
  /** Measure the cost of operations in organizations of these sizes instead. */
  readonly growth: readonly number[]
  /** Measure webhooks and requests that wait for changes instead, with so many events. */
  readonly webhooks: boolean
  readonly events: number
  /** Measure what a person waits for in the list of contacts instead. */
  readonly pages: boolean
  /** A text that the names of these operations contain; all operations if it is empty. */
  readonly named: string
}

const builtProduct = fileURLToPath(new URL('../server/dist/main.js', import.meta.url))

export const help = `npm run bench -- [flags]

  --only <names>           ${operationNames.join(',')} (default: all)
  --contacts <numbers>     contacts in the database (default: 10000,100000)
  --organizations <n,…>    organizations that share them (default: 1,20)
  --connections <n,…>      clients, each with its own application (default: 20)
  --processes <n,…>        processes of both servers that answer requests (default: 1)
  --commit-delay <ms>      what each commit takes longer (default: nothing)
  --rounds <n>             rounds of each side (default: 5)
  --seconds <n>            length of a round (default: 3)
  --product <file>         compiled program to measure (default: server/dist/main.js)
  --node=<arguments>       arguments for its Node.js (default: those of npm start), such as --node=--cpu-prof
  --startup                measure the first start and later ones instead
  --summary                measure the summary of analytics instead
  --bulk                   measure a bulk job beside batch upserts of the same records instead
  --export                 measure an export of contacts instead, beside copy
  --import                 measure an import of so many contacts instead, beside batch upserts
  --products               measure what products of a full set cost beside contacts instead
  --beside-writes          measure reads of a quiet organization beside one that writes instead
  --capacity               measure what each operation costs in processor time and on disk instead, for docs/operations/capacity.md
  --growth                 measure what operations cost in a small and in a large organization instead
  --sizes <numbers>        contacts and deals of each for --growth (default: 10000,1000000)
  --webhooks               measure deliveries of webhooks, what they cost others, and requests that wait for changes instead
  --events <n>             events of --webhooks, 300 a second (default: 100000)
  --pages                  measure what a person waits for in the list of contacts in Chromium instead
  --named <text>           operations of --growth or parts of --webhooks that have this in their name, such as search (default: all)
  --deals <n>              deals of the organization for --summary (default: 1000000)`

/** Parses the flags; throws with a message for the user. */
export function readOptions(words: readonly string[]): Options {
  const text = { type: 'string' } as const
  const { values } = parseArgs({
    args: [...words],
    options: {
      only: text,
      contacts: text,
      organizations: text,
      connections: text,
      processes: text,
      'commit-delay': text,
      rounds: text,
      seconds: text,
      product: text,
      node: text,
      startup: { type: 'boolean' },
      summary: { type: 'boolean' },
      deals: text,
      bulk: { type: 'boolean' },
      export: { type: 'boolean' },
      import: { type: 'boolean' },
      products: { type: 'boolean' },
      'beside-writes': { type: 'boolean' },
      capacity: { type: 'boolean' },
      growth: { type: 'boolean' },
      sizes: text,
      webhooks: { type: 'boolean' },
      events: text,
      pages: { type: 'boolean' },
      named: text,
    },
  })
  return {
    operations: operationsOf(values.only),
    contacts: numbersOf('--contacts', values.contacts ?? '10000,100000'),
    organizations: numbersOf('--organizations', values.organizations ?? '1,20'),
    connections: numbersOf('--connections', values.connections ?? '20'),
    processes: numbersOf('--processes', values.processes ?? '1'),
    commitDelay: values['commit-delay'] === undefined ? 0 : numberOf('--commit-delay', values['commit-delay']),
    rounds: numberOf('--rounds', values.rounds ?? '5'),
    seconds: numberOf('--seconds', values.seconds ?? '3'),
    product: values.product ?? builtProduct,
    nodeArguments: values.node?.split(' ').filter(word => word !== '') ?? startArguments(),
    startup: values.startup ?? false,
    summary: values.summary ?? false,
    deals: numberOf('--deals', values.deals ?? '1000000'),
    bulk: values.bulk ?? false,
    export: values.export ?? false,
    import: values.import ?? false,
    products: values.products ?? false,
    besideWrites: values['beside-writes'] ?? false,
    capacity: values.capacity ?? false,
    growth: values.growth ? numbersOf('--sizes', values.sizes ?? '10000,1000000') : [],
    webhooks: values.webhooks ?? false,
    events: numberOf('--events', values.events ?? '100000'),
    pages: values.pages ?? false,
    named: values.named ?? '',
  }
}

/** The arguments that `npm start` passes to Node.js. */
export function startArguments(): readonly string[] {
  const { scripts }: { scripts: { start: string } } = JSON.parse(
    readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
  )
  return scripts.start.split(' ').filter(word => word.startsWith('--'))
}

function operationsOf(text: string | undefined): readonly OperationName[] {
  if (text === undefined) return operationNames
  const unknown = text.split(',').filter(word => !operationNames.some(name => name === word))
  if (unknown.length > 0) throw new Error(`--only takes ${operationNames.join(', ')}, not ${unknown.join(', ')}`)
  return operationNames.filter(name => text.split(',').includes(name))
}

function numbersOf(flag: string, text: string): number[] {
  return text.split(',').map(part => numberOf(flag, part))
}

function numberOf(flag: string, text: string): number {
  const number = Number(text)
  if (!Number.isInteger(number) || number < 1) throw new Error(`${flag} takes whole numbers from 1, not "${text}"`)
  return number
}
