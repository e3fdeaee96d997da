import { runCli } from '../../server/src/entrypoints/cli/index.ts'
import { servePart } from '../../server/src/start/serve-part.ts'
import { serveWithDemo } from '../../server/src/start/serve-with-demo.ts'
import { heldMilliseconds, holdFor } from './held-groups.ts'
import { noEntrypoints } from './no-entrypoints.ts'

// The program with a delay before each group commit, also in the processes that it starts.

const hold = holdFor(heldMilliseconds)

process.exitCode = await runCli(
  process.argv.slice(2),
  process.env,
  {
    ...noEntrypoints,
    serve(config, options) {
      if (options.isPart) return servePart(config, options.role, hold)
      return serveWithDemo(config, options, process.stdout, hold)
    },
  },
  { out: text => void process.stdout.write(text), err: text => void process.stderr.write(text) },
)
