import type { Comparison, Measured } from './compare.ts'
import type { OperationName } from './protocol.ts'

/** Ratios that the product must reach, and the most memory it may use under load. */
const targets: Readonly<Record<OperationName, number>> = {
  get: 0.55,
  list: 0.6,
  changes: 0.6,
  audit: 0.6,
  patch: 0.5,
  create: 0.5,
  upsert: 0.5,
  batch: 0.5,
  'list-search': 0.6,
  'search-part': 0.6,
  'search-word': 0.6,
  'search-two': 0.6,
  'search-similar': 0.6,
}
const targetMegabytes = 200

export interface Line extends Comparison {
  readonly contacts: number
  readonly organizations: number
  readonly connections: number
  readonly processes: number
}

export interface Memory {
  readonly contacts: number
  readonly organizations: number
  readonly connections: number
  readonly processes: number
  readonly idle: number
  readonly most: number
}

const head = [
  ['operation', 'contacts', 'orgs', 'clients', 'processes'],
  ['product/s', 'p50 ms', 'p99 ms'],
  ['bare/s', 'p50 ms', 'p99 ms'],
  ['ratio', 'target'],
  ['product µs', 'its db µs', 'bare µs', 'its db µs', 'by cpu'],
]

/** One table for all measurements: rates, latencies, the ratio, processor time per request. */
export function renderTable(lines: readonly Line[]): string {
  const rows = lines.map(({ operation, contacts, organizations, connections, processes, product, bare, ratio }) => [
    [operation, ...[contacts, organizations, connections, processes].map(String)],
    [rate(product.perSecond), product.p50.toFixed(1), product.p99.toFixed(1)],
    [rate(bare.perSecond), bare.p50.toFixed(1), bare.p99.toFixed(1)],
    [ratio.toFixed(2), `${ratio >= targets[operation] ? 'meets' : 'below'} ${targets[operation].toFixed(2)}`],
    [...[product.cpu, product.databaseCpu, bare.cpu, bare.databaseCpu].map(whole), cpuRatio(product, bare).toFixed(2)],
  ])
  const all = [head, ...rows]
  const width = (group: number, column: number) => Math.max(...all.map(row => row[group]?.[column]?.length ?? 0))
  const render = (row: readonly (readonly string[])[]) =>
    row.map((cells, group) => cells.map((cell, column) => cell.padStart(width(group, column))).join('  ')).join(' | ')
  return all.map(render).join('\n')
}

export function renderMemory({ contacts, organizations, connections, processes, idle, most }: Memory): string {
  const megabytes = (bytes: number) => `${whole(bytes / 1024 / 1024)} MB`
  // The processes that answer requests and, if there are several, the primary process and that of jobs.
  const target = processes === 1 ? targetMegabytes : (processes + 2) * targetMegabytes
  const verdict = most / 1024 / 1024 < target ? 'meets' : 'above'
  const scene = `${contacts} contacts, ${organizations} organizations, ${connections} clients, ${processes} processes`
  return `memory of the product (${scene}): ${megabytes(idle)} idle, at most ${megabytes(most)} under load (${verdict} ${target} MB)`
}

/** The ratio by processor time, server and database together: steadier than rates on a shared machine. */
function cpuRatio(product: Measured, bare: Measured): number {
  return (bare.cpu + bare.databaseCpu) / (product.cpu + product.databaseCpu)
}

function rate(number: number): string {
  return number < 100 ? number.toFixed(1) : whole(number)
}

function whole(number: number): string {
  return Number.isFinite(number) ? String(Math.round(number)) : '-'
}
