#!/usr/bin/env node
import { createInterface } from 'node:readline/promises'
import { runCli } from './entrypoints/cli/index.ts'

/** Loaded only by the commands that need them: loading the server takes longer than most commands run. */
const entrypoints: Parameters<typeof runCli>[2] = {
  async serve(config, options) {
    if (options.isPart) return (await import('./start/serve-part.ts')).servePart(config, options.role)
    return (await import('./start/serve-with-demo.ts')).serveWithDemo(config, options, process.stdout)
  },
  async confirm(question) {
    if (!process.stdin.isTTY || !process.stderr.isTTY) return false
    const terminal = createInterface({ input: process.stdin, output: process.stderr })
    try {
      return /^y(?:es)?$/iu.test((await terminal.question(`${question} [y/N] `)).trim())
    } finally {
      terminal.close()
    }
  },
}

// `doctor` checks the version of Node.js. Otherwise the S3 library would print at each command which version it will require next year.
process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] ??= 'true'

// The reader of a stream may be gone, or its disk full. That must not end a server, and a command completes its work.
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
  outBytes: bytes =>
    new Promise((resolve, reject) => {
      process.stdout.write(bytes, error => (error ? reject(error) : resolve()))
    }),
  err: text => void process.stderr.write(text),
  ...(process.stderr.isTTY ? { columns: process.stderr.columns } : {}),
}

/** Only this file reads arguments, environment and terminal. */
process.exitCode = await runCli(process.argv.slice(2), process.env, entrypoints, streams)
