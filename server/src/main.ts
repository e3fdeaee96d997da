#!/usr/bin/env node
import { sampleWriter } from './create-sample-writer.ts'
import { serveWithDemo } from './serve-with-demo.ts'
import { runCli } from './shells/cli/index.ts'

const shells: Parameters<typeof runCli>[2] = {
  serve: (config, { role }) => serveWithDemo(config, role, process.stdout),
  sampleWriter,
}

// Whoever read them may be gone, or their disk full: that ends no server, and a command completes what it began.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})

const streams: Parameters<typeof runCli>[3] = {
  out(text) {
    process.stdout.write(text, error => {
      if (!error) return
      process.stderr.write(`the output could not be written: ${error.message}\n`)
      process.once('exit', () => {
        process.exitCode = 1
      })
    })
  },
  err: text => void process.stderr.write(text),
}

/** The program: the only place that reads arguments, environment and terminal. */
process.exitCode = await runCli(process.argv.slice(2), process.env, shells, streams)
