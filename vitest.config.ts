import { defineConfig } from 'vitest/config'
import { LongestFirst } from './test/support/longest-first.ts'

export default defineConfig({
  // Packages of this repository are tested from their sources.
  ssr: { resolve: { conditions: ['source'] } },
  test: {
    include: ['server/src/**/*.test.ts', 'packages/*/src/**/*.test.ts', 'test/**/*.test.ts', 'examples/**/*.test.ts'],
    exclude: [
      'test/abuse/**',
      'test/clients/**',
      'test/cluster/**',
      'test/crash/**',
      'test/packages/**',
      'test/process/**',
      'test/several-processes/**',
      'test/services/**',
      'test/upgrade/**',
      'node_modules/**',
    ],
    globalSetup: ['test/support/global-setup.ts', 'test/support/listed-failures.ts'],
    setupFiles: ['test/support/use-compiled-readers.ts'],
    testTimeout: 60_000,
    hookTimeout: 120_000,
    // One more than there are processors on most machines of a CI: some worker always waits for a program or a limit.
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    // Modules are loaded once for each worker, as in a process that serves. To load them for each file took a third of
    // the run.
    isolate: false,
    // Much code runs a few times here, and little of it often: to optimize it takes longer than it gains, and so does to
    // collect garbage often. Every version of Node.js that the product runs on knows these options.
    execArgv: ['--no-opt', '--max-semi-space-size=32', '--initial-heap-size=512'],
  },
})
