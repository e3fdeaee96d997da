import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface Disk {
  readonly folder: string
  /** Makes the disk read-only, or another size. */
  change(options: string): void
  remove(): Promise<void>
}

/** A disk of its own, of so many megabytes; null where this user may not have one. */
export function aSmallDisk(megabytes: number): Disk | null {
  const folder = mkdtempSync(join(tmpdir(), 'crm-disk-'))
  const mount = (options: string) =>
    execFileSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', folder], { stdio: 'ignore' })
  try {
    mount(`size=${megabytes}m,mode=755`)
  } catch {
    rmSync(folder, { recursive: true })
    return null
  }
  return {
    folder,
    change: options => mount(`remount,${options}`),
    async remove() {
      execFileSync('umount', ['-l', folder])
      await rm(folder, { recursive: true })
    },
  }
}
