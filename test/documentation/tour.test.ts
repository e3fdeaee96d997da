import { spawnSync } from 'node:child_process'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { compiledProgram } from '../support/compiled.ts'
import { readPage, root, sectionOf } from './markdown.ts'
import { type RunningServer, startServer } from './server.ts'
import { formOf, runSteps, stepsOf } from './steps.ts'

const page = sectionOf(await readPage('README.md'), 'Five minutes with curl')
const steps = stepsOf(page)
const hasZsh = spawnSync('zsh', ['-c', 'true']).status === 0

/** A first start takes seconds; a machine with much else to do may take longer. */
const patience = 120_000

describe('the tour of the README', () => {
  let server: RunningServer | undefined
  let printed: readonly string[]

  beforeAll(async () => {
    server = await startServer(await compiledProgram())
    printed = await runSteps(steps, root, server)
  }, patience)

  afterAll(async () => {
    expect(await server?.stop()).toBe(0)
  })

  test('has all of its steps', () => {
    expect(steps.length).toBeGreaterThan(8)
  })

  test.runIf(hasZsh)(
    'can be taken again, also in zsh',
    async () => {
      if (server === undefined) throw new Error('the server was not started')
      const reset = { script: 'npm run -s crm -- demo reset\n' }
      expect(page).toContain(reset.script)
      const [, ...again] = await runSteps([reset, ...steps], root, server, 'zsh')
      // The feed goes on, so its numbers are others.
      const shown = steps.map(step => formOf(step.shown.replaceAll(/\b12\d\b/gu, '…')))
      for (const [index, form] of shown.entries()) expect(again[index]).toMatch(form)
    },
    patience,
  )

  test.each(steps.map(({ name, shown }, index) => [name, shown, index] as const))('%s', (_, shown, index) => {
    expect(printed[index]).toMatch(formOf(shown))
  })
})
