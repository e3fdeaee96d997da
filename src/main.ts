#!/usr/bin/env node
import { runCli } from './cli/index.ts'
import { inProcessWriter } from './in-process-writer.ts'
import { serveWithDemo } from './serve-with-demo.ts'

/** The program: the only place that reads arguments, environment and terminal. */
process.exitCode = await runCli(process.argv.slice(2), process.env, {
  serve: (config, { role }) => serveWithDemo(config, role, process.stdout),
  sampleWriter: inProcessWriter,
})
