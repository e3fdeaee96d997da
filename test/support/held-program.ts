import { servePart } from '../../server/src/serve-part.ts'
import { serveWithDemo } from '../../server/src/serve-with-demo.ts'
import { runCli } from '../../server/src/shells/cli/index.ts'
import { heldMilliseconds, holdFor } from './held-groups.ts'
import { noShells } from './no-shells.ts'

// The program, whose groups of writes wait before they begin; so do those of the processes that it starts.

const hold = holdFor(heldMilliseconds)

process.exitCode = await runCli(
  process.argv.slice(2),
  process.env,
  {
    ...noShells,
    serve(config, options) {
      if (options.isPart) return servePart(config, options.role, hold)
      return serveWithDemo(config, options, process.stdout, hold)
    },
  },
  { out: text => void process.stdout.write(text), err: text => void process.stderr.write(text) },
)
