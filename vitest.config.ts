import { defineConfig } from 'vitest/config'

export const unsteady = ['test/plans/**/*.test.ts']

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts', 'examples/**/*.test.ts'],
    // These are not steady yet, or show what is not mended yet: npx vitest run --config vitest.unsteady.config.ts runs them.
    exclude: [...unsteady, 'test/services/**', 'node_modules/**'],
    globalSetup: ['test/support/global-setup.ts'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
    isolate: true,
  },
})
