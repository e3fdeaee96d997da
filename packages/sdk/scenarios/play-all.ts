import { crmOf } from './crm-of.ts'
import { play, ScenarioClock } from './play.ts'
import type { Scenario } from './scenario.ts'

/** What a host answers that is asked for the next scenario. */
export interface Next {
  readonly scenario: Scenario
  /** The scripted server of the scenario. */
  readonly url: string
}

/** Plays all scenarios of a host, one after the other, and tells it what came of each. Needs nothing but what every runtime has. */
export async function playAll(host: string): Promise<void> {
  const ask = async (path: string, body = ''): Promise<string> =>
    (await fetch(host + path, { method: 'POST', body })).text()
  for (;;) {
    const next: Next | null = JSON.parse(await ask('/next'))
    if (next === null) return
    const clock = new ScenarioClock()
    const isOver = passTime(ask, clock)
    const outcome = await play(next.scenario, next.url, clock, crmOf)
    await ask('/outcome', JSON.stringify(outcome))
    await isOver
  }
}

/** Lets the time pass whenever the scripted server has said that it will not answer, until the scenario is over. */
async function passTime(ask: (path: string) => Promise<string>, clock: ScenarioClock): Promise<void> {
  while ((await ask('/silence')) === 'true') clock.expire()
}
