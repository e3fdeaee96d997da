import { join } from 'node:path'
import { inject } from 'vitest'

// Workers of the tests pass this on to the processes that they start for files: see compiled-readers.ts.
process.execArgv = ['--require', join(inject('scratch'), 'readers.cjs')]
