#!/usr/bin/env node
import { runCli } from './cli/index.ts'
import { inProcessWriter } from './in-process-writer.ts'
import { serveWithDemo } from './serve-with-demo.ts'

const shells: Parameters<typeof runCli>[2] = {
  serve: (config, { role }) => serveWithDemo(config, role, process.stdout),
  sampleWriter: inProcessWriter,
}

const streams: Parameters<typeof runCli>[3] = {
  out: text => void process.stdout.write(text),
  err: text => void process.stderr.write(text),
}

/** The program: the only place that reads arguments, environment and terminal. */
process.exitCode = await runCli(process.argv.slice(2), process.env, shells, streams)
