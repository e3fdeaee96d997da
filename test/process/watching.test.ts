import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { aContact } from '../support/builders.ts'
import { Client } from '../support/client.ts'
import { root } from '../support/compiled.ts'
import { createTestDatabase } from '../support/database.ts'
import { readyAt, useProcesses } from '../support/process.ts'
import { until } from '../support/waiting.ts'
import { anApplication, environmentOf } from './support/installations.ts'

const processes = useProcesses()
const read = (path: string) => readFile(join(root, path), 'utf8')

/** What servers show: the names of metrics, and the labels of each. */
const served = new Map<string, Set<string>>()

beforeAll(async () => {
  const made = await createTestDatabase(2)
  const environment = await environmentOf(processes, made)
  const { token } = await anApplication(made.database)
  // Without a worker a job stays in the queue.
  const idle = processes.start(['serve', '--role', 'api'], { PORT: '0', ...environment })
  const [, url = ''] = await idle.printed(readyAt)
  const { data } = await new Client(url, token).post('/exports', { type: 'contacts' })
  await noteMetrics(url)
  await idle.end('SIGTERM')

  const server = await processes.serve(environment)
  const client = new Client(server.url, token)
  expect((await client.post('/contacts', aContact())).status).toBe(201)
  expect((await client.post('/contacts', { firstName: 7 })).status).toBe(400)
  await until('the export', async () => (await client.get(`/exports/${data.id}`)).data.status === 'completed')
  // An export is completed a moment before its job has ended.
  await until('the metrics of its job', async () => {
    await noteMetrics(server.url)
    return served.has('crm_job_duration_seconds_count')
  })
})

async function noteMetrics(url: string): Promise<void> {
  const scraped = await (await fetch(`${url}/metrics`)).text()
  const labelsOf = (name: string) => served.get(name) ?? new Set<string>()
  for (const [, name = ''] of scraped.matchAll(/^# TYPE (\w+) /gmu)) served.set(name, labelsOf(name))
  for (const [, name = '', listed = ''] of scraped.matchAll(/^(\w+)(?:\{(.*)\})? /gmu)) {
    const labels = [...listed.matchAll(/(\w+)="/gu)].map(([, label = '']) => label)
    served.set(name, new Set([...labelsOf(name), ...labels]))
  }
}

/** The expressions of the dashboard and the rules. */
async function expressions(): Promise<string[]> {
  const [dashboard, rules] = [await read('deploy/grafana/crm-server.json'), await read('deploy/prometheus/alerts.yaml')]
  const drawn: string[] = []
  JSON.parse(dashboard, (key, value: unknown) => {
    if (key === 'expr') drawn.push(String(value))
    return value
  })
  const told = [...rules.matchAll(/^ {8}expr: (?:>-\n((?: {10}.*\n)+)|(.*)$)/gmu)]
  return [...drawn, ...told.map(([, lines, line]) => lines ?? line ?? '')]
}

/** Labels that Prometheus adds; it also renames a label `job` of ours. */
const ofPrometheus = new Set(['job', 'instance', 'exported_job'])

describe('the dashboard and the alert rules', () => {
  test('name only metrics that a server serves, with the labels that they have', async () => {
    const all = await expressions()
    expect(all.length).toBeGreaterThan(30)
    const selectors = all.flatMap(text => [...text.matchAll(/\b((?:crm|nodejs|process)_\w+)(?:\{(.*?)\})?/gu)])
    expect(selectors.length).toBeGreaterThan(40)
    const wrong = selectors.flatMap(([, name = '', labels = '']) => {
      const known = served.get(name)
      if (known === undefined) return [name]
      const used = [...labels.matchAll(/(\w+)(?:=|!=)/gu)].map(([, label = '']) => label)
      return used.filter(label => !known.has(label) && !ofPrometheus.has(label)).map(label => `${name}{${label}}`)
    })
    expect(wrong).toEqual([])
  })
})

describe('each alert', () => {
  test('links to a section with the remedy, and fires in a test of the rules', async () => {
    const rules = await read('deploy/prometheus/alerts.yaml')
    const tests = await read('deploy/prometheus/alerts.test.yaml')
    const page = await read('docs/operations/alerts.md')
    const alerts = [...rules.matchAll(/- alert: (\w+)/gu)].map(([, name = '']) => name)
    expect(alerts.length).toBeGreaterThan(10)
    const runbooks = [...rules.matchAll(/runbook: (\S+)/gu)].map(([, address]) => address)
    expect(runbooks).toEqual(alerts.map(name => `docs/operations/alerts.md#${name.toLowerCase()}`))
    expect([...page.matchAll(/^## (Crm\w+)$/gmu)].map(([, name]) => name)).toEqual(alerts)
    expect(alerts.filter(name => !tests.includes(`name: ${name} fires`))).toEqual([])
  })
})
