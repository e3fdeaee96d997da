import { readdirSync, readFileSync } from 'node:fs'
import { expand } from './expand.ts'
import type { Scenario } from './scenario.ts'

const folder = new URL('.', import.meta.url)

/** All scenarios, by the files that they stand in. */
export function scenarioFiles(): { readonly name: string; readonly scenarios: readonly Scenario[] }[] {
  const names = readdirSync(folder).filter(name => name.endsWith('.json'))
  return names.map(name => {
    const text = readFileSync(new URL(name, folder), 'utf8')
    return { name, scenarios: JSON.parse(JSON.stringify(expand(JSON.parse(text)))) }
  })
}
