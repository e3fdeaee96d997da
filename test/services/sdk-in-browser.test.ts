import { chromium } from 'playwright-core'
import { expect, test } from 'vitest'
import { bundled } from '../../packages/sdk/scenarios/bundle.ts'
import { scenarioFiles } from '../../packages/sdk/scenarios/scenario-files.ts'
import { ScenarioHost } from '../../packages/sdk/scenarios/scenario-host.ts'

/** What a call gives in a browser, where that differs. */
const scenarios = scenarioFiles()
  .flatMap(file => file.scenarios)
  .map(scenario => ({
    ...scenario,
    calls: scenario.calls.map(call => ({
      ...call,
      ...(call.error && { error: { ...call.error, ...call.errorInBrowsers } }),
    })),
  }))

test('the SDK does in a page of another origin what the scenarios say', async () => {
  const script = await bundled("playAll(location.origin).then(() => document.body.append('played'))")
  const page = '<!doctype html><meta charset="utf-8"><body><script type="module" src="/script.js"></script></body>'
  const host = new ScenarioHost(
    scenarios,
    new Map([
      ['/', ['text/html', page]],
      ['/script.js', ['text/javascript; charset=utf-8', script]],
    ]),
  )
  const address = await host.start()
  const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] })
  try {
    const tab = await browser.newPage()
    await tab.goto(address)
    await tab.getByText('played').waitFor()
    expect([host.problems, host.played]).toEqual([[], scenarios.length])
  } finally {
    await browser.close()
    await host.stop()
  }
})
