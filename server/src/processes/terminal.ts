import { closeSync, openSync } from 'node:fs'

/**
 * Whether this process has a terminal that it was started from. After the terminal was closed it has none: that tells the SIGHUP that
 * follows from one that an operator sends.
 */
export function hasTerminal(): boolean {
  try {
    closeSync(openSync('/dev/tty', 'r'))
    return true
  } catch {
    return false
  }
}
