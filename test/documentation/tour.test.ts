import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { compiledProgram } from '../support/compiled.ts'
import { readPage, root, sectionOf } from './markdown.ts'
import { type RunningServer, startServer } from './server.ts'
import { formOf, runSteps, stepsOf } from './steps.ts'

const steps = stepsOf(sectionOf(await readPage('README.md'), 'Five minutes with curl'))

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

  test.each(steps.map(({ name, shown }, index) => [name, shown, index] as const))('%s', (_, shown, index) => {
    expect(printed[index]).toMatch(formOf(shown))
  })
})
