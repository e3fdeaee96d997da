import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { expand } from '../scenarios/expand.ts'
import { type MakeClient, play, ScenarioClock, token } from '../scenarios/play.ts'
import type { ExpectedRequest, Scenario } from '../scenarios/scenario.ts'
import { type Received, ScriptedServer } from '../scenarios/scripted-server.ts'
import { Crm } from './crm.ts'
import { verify } from './webhooks.ts'

const crmOf: MakeClient = options => Object.assign(new Crm(options), { $webhooks: { verify } })

const folder = new URL('../scenarios/', import.meta.url)
const files = readdirSync(folder).filter(name => name.endsWith('.json'))

describe.each(files)('%s', file => {
  const text = readFileSync(new URL(file, folder), 'utf8')
  const scenarios: readonly Scenario[] = JSON.parse(JSON.stringify(expand(JSON.parse(text))))

  test.each(scenarios.map(scenario => [scenario.title, scenario] as const))('%s', async (_, scenario) => {
    if (scenario.now !== undefined) {
      const now = vi.spyOn(Date, 'now').mockReturnValue(1000 * scenario.now)
      onTestFinished(() => now.mockRestore())
    }
    const clock = new ScenarioClock()
    const server = await ScriptedServer.start(scenario.exchanges, () => clock.expire())
    const outcome = await play(scenario, server.url, clock, crmOf).finally(() => server.stop())

    const expected = scenario.exchanges.map(({ request }) => request)
    expect(server.received.map(nameOf)).toEqual(expected.map(nameOf))
    const named = new Map([['$token', token]])
    for (const [index, request] of server.received.entries()) compare(request, expected[index], named)
    expect(new Set(named.values()).size).toBe(named.size)

    for (const [index, { result, error }] of scenario.calls.entries()) {
      const came = outcome.calls[index] ?? {}
      if (error === undefined) expect(came).toEqual({ result })
      else expect(came).toEqual({ error: expect.objectContaining(membersOf(error)) })
    }
    expect(clock.pauses.length).toBe(scenario.pauses?.length ?? 0)
    for (const [index, [least, most]] of (scenario.pauses ?? []).entries()) {
      expect(clock.pauses[index]).toBeGreaterThanOrEqual(least)
      expect(clock.pauses[index]).toBeLessThanOrEqual(most)
    }
    if (scenario.log !== undefined) expect(outcome.log).toMatchObject(scenario.log)
  })
})

const nameOf = ({ method, target }: { readonly method: string; readonly target: string }) => `${method} ${target}`

/** The class of an error is its name here. */
function membersOf({ class: name, ...members }: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return { name, ...members }
}

/** Compares what the scenario names of a request. `named` are the values of headers so far. */
function compare(
  { headers: sent, body }: Received,
  { headers = {}, json, form }: Omit<ExpectedRequest, 'method' | 'target'> = {},
  named: Map<string, string>,
): void {
  for (const [name, value] of Object.entries(headers)) {
    const header = sent[name]
    if (value?.includes('$') && typeof header === 'string') {
      const [word = ''] = /\$\w+/u.exec(value) ?? []
      if (!named.has(word)) named.set(word, header)
      expect({ [name]: header }).toEqual({ [name]: value.replace(word, named.get(word) ?? '') })
    } else expect({ [name]: header }).toEqual({ [name]: value ?? undefined })
  }
  if (json !== undefined) expect(JSON.parse(body.toString())).toEqual(json)
  for (const [field, { name, type, text }] of Object.entries(form ?? {})) {
    const head = `Content-Disposition: form-data; name="${field}"; filename="${name}"\r\nContent-Type: ${type}\r\n`
    expect(body.toString()).toContain(`${head}\r\n${text}\r\n--`)
  }
}
