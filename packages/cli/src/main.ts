#!/usr/bin/env node
import { constants, homedir } from 'node:os'
import { runCrm } from './run-crm.ts'
import type { Shell } from './shell.ts'

// A reader that is gone, such as `head`, has all it wants. What the command does is done all the same, and its status tells how.
let isReaderGone = false
process.stdout.on('error', (error: Error & { readonly code?: string }) => {
  isReaderGone = true
  if (error.code === 'EPIPE') return
  process.stderr.write(`crm: the output could not be written: ${error.message}\n`)
  process.exit(1)
})
process.stderr.on('error', () => {})

/** Only this file reads arguments, environment and terminal. */
const shell: Shell = {
  environment: process.env,
  home: homedir(),
  input: process.stdin,
  isInputTerminal: process.stdin.isTTY,
  isOutputTerminal: process.stdout.isTTY,
  isErrorTerminal: process.stderr.isTTY,
  columns: process.stdout.columns ?? 80,
  errorStream: process.stderr,
  print: text =>
    new Promise(resolve => {
      if (isReaderGone) resolve(false)
      else process.stdout.write(text, error => resolve(!error))
    }),
  interruption: () => {
    const controller = new AbortController()
    for (const name of ['SIGINT', 'SIGTERM'] as const)
      process.on(name, () => {
        if (controller.signal.aborted) process.exit(128 + constants.signals[name])
        controller.abort()
      })
    return controller.signal
  },
  say: text => void process.stderr.write(text),
}

process.exitCode = await runCrm(process.argv.slice(2), shell)
