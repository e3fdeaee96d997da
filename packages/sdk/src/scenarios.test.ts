import { describe, expect, test } from 'vitest'
import { crmOf } from '../scenarios/crm-of.ts'
import { problemsOf } from '../scenarios/judge.ts'
import { play, ScenarioClock } from '../scenarios/play.ts'
import { scenarioFiles } from '../scenarios/scenario-files.ts'
import { ScriptedServer } from '../scenarios/scripted-server.ts'

describe.each(scenarioFiles())('$name', ({ scenarios }) => {
  test.each(scenarios)('$title', async scenario => {
    const clock = new ScenarioClock()
    const server = await ScriptedServer.start(scenario.exchanges, () => clock.expire())
    const outcome = await play(scenario, server.url, clock, crmOf).finally(() => server.stop())
    expect(problemsOf(scenario, server.received, outcome)).toEqual([])
  })
})
