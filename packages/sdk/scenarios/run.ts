import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { bundled } from './bundle.ts'
import { scenarioFiles } from './scenario-files.ts'
import { ScenarioHost } from './scenario-host.ts'

/**
 * Plays all scenarios in another runtime: the arguments are its command, which is run in a folder with `program.js` and, for workerd,
 * `workerd.capnp`. Ends with 1 if anything was not as the scenarios say.
 *
 *   tsx packages/sdk/scenarios/run.ts deno run --allow-net --allow-env program.js
 */
const [command = '', ...words] = process.argv.slice(2)
const scenarios = scenarioFiles().flatMap(file => file.scenarios)
const host = new ScenarioHost(scenarios)
const url = await host.start()
const folder = await mkdtemp(join(tmpdir(), 'crm-scenarios-'))
await writeFile(join(folder, 'program.js'), await bundled(`await playAll('${url}')`))
await writeFile(join(folder, 'worker.js'), await bundled(`export default { test: () => playAll('${url}') }`))
await writeFile(
  join(folder, 'workerd.capnp'),
  `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (services = [
  (name = "main", worker = (modules = [(name = "worker.js", esModule = embed "worker.js")], compatibilityDate = "2026-01-01")),
  (name = "internet", network = (allow = ["local"])),
]);
`,
)
try {
  await promisify(execFile)(command, words, { cwd: folder, maxBuffer: 1e8 })
} catch (error) {
  console.log(error)
  process.exitCode = 1
}
await host.stop()
await rm(folder, { recursive: true })
for (const problem of host.problems) console.log(problem)
console.log(`${command}: ${host.played} of ${scenarios.length} scenarios played, ${host.problems.length} problems`)
if (host.played < scenarios.length || host.problems.length > 0) process.exitCode = 1
