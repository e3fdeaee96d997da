import { join } from 'node:path'
import { inject } from 'vitest'

// What a worker of the tests passes on to processes that it starts for files: see compiled-readers.ts.
process.execArgv = ['--require', join(inject('scratch'), 'readers.cjs')]
