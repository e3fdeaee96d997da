import { isDeepStrictEqual } from 'node:util'
import { type Outcome, token } from './play.ts'
import type { Call, ExpectedRequest, Scenario } from './scenario.ts'
import type { Received } from './scripted-server.ts'

/** Compares a run with its scenario: requests, results, pauses and log. Returns a sentence for each difference. */
export function problemsOf(scenario: Scenario, received: readonly Received[], outcome: Outcome): string[] {
  const expected = scenario.exchanges.map(({ request }) => request)
  const named = new Map([['$token', token]])
  const problems = [
    ...difference('requests', received.map(nameOf), expected.map(nameOf)),
    ...received.flatMap((request, index) => problemsOfRequest(request, expected[index], named)),
    ...scenario.calls.flatMap((call, index) => problemsOfCall(call, outcome.calls[index])),
    ...problemsOfPauses(outcome.pauses, scenario.pauses ?? []),
    ...difference('entries of the log', outcome.log.length, scenario.log?.length ?? outcome.log.length),
    ...(scenario.log ?? []).flatMap((entry, index) => problemsOfMembers('the log', outcome.log[index] ?? {}, entry)),
  ]
  if (new Set(named.values()).size < named.size) problems.push(`different names have one value: ${shown([...named])}`)
  return problems
}

const nameOf = ({ method, target }: { readonly method: string; readonly target: string }) => `${method} ${target}`

/** `named` are the values of headers so far. */
function problemsOfRequest(
  { headers: sent, body, ...request }: Received,
  { headers = {}, json, form }: Omit<ExpectedRequest, 'method' | 'target'> = {},
  named: Map<string, string>,
): string[] {
  const what = nameOf(request)
  const problems = Object.entries(headers).flatMap(([name, value]) => {
    const header = sent[name]
    const [word] = /\$\w+/u.exec(value ?? '') ?? []
    if (word === undefined || typeof header !== 'string')
      return difference(`${what}: ${name}`, header, value ?? undefined)
    if (!named.has(word)) named.set(word, header)
    return difference(`${what}: ${name}`, header, value?.replace(word, named.get(word) ?? ''))
  })
  if (json !== undefined) problems.push(...difference(`${what}: body`, JSON.parse(body.toString()), json))
  // Bun names the encoding of a text as well.
  const parts = body.toString().replaceAll(/(?<=Content-Type: text\/\w+);charset=utf-8/gu, '')
  for (const [field, { name, type, text }] of Object.entries(form ?? {})) {
    const head = `Content-Disposition: form-data; name="${field}"; filename="${name}"\r\nContent-Type: ${type}\r\n`
    if (!parts.includes(`${head}\r\n${text}\r\n--`)) problems.push(`${what}: ${field} is not in ${parts}`)
  }
  return problems
}

function problemsOfCall({ resource, method, result, error }: Call, came: Outcome['calls'][number] = {}): string[] {
  const what = `${resource}.${method}`
  if (error === undefined) return difference(what, came, { result })
  if (came.error === undefined) return [`${what} throws nothing`]
  return problemsOfMembers(what, came.error, error)
}

function problemsOfMembers(what: string, came: object, expected: object): string[] {
  return Object.entries(expected).flatMap(([name, value]) =>
    difference(`${what}: ${name}`, Reflect.get(came, name), value),
  )
}

function problemsOfPauses(pauses: readonly number[], bounds: readonly (readonly [number, number])[]): string[] {
  return [
    ...difference('pauses', pauses.length, bounds.length),
    ...bounds.flatMap(([least, most], index) => {
      const pause = pauses[index] ?? Number.NaN
      return pause >= least && pause <= most ? [] : [`a pause of ${pause} ms is not from ${least} to ${most}`]
    }),
  ]
}

/** A sentence if two values are not the same JSON. */
function difference(what: string, came: unknown, expected: unknown): string[] {
  return isDeepStrictEqual(asJson(came), asJson(expected))
    ? []
    : [`${what}: ${shown(came)} instead of ${shown(expected)}`]
}

const shown = (value: unknown): string => JSON.stringify(value) ?? 'nothing'
const asJson = (value: unknown): unknown => (value === undefined ? undefined : JSON.parse(JSON.stringify(value)))
