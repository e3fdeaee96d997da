import { serveWithDemo } from '../../server/src/serve-with-demo.ts'
import { runCli } from '../../server/src/shells/cli/index.ts'
import { holdFor } from './held-lanes.ts'
import { noShells } from './no-shells.ts'

// The program, whose groups of writes wait before they begin. Arguments: for how many milliseconds, and what the program is given.

const [milliseconds, ...words] = process.argv.slice(2)

process.exitCode = await runCli(
  words,
  process.env,
  {
    ...noShells,
    serve: (config, { role }) => serveWithDemo(config, role, process.stdout, holdFor(Number(milliseconds))),
  },
  { out: text => void process.stdout.write(text), err: text => void process.stderr.write(text) },
)
