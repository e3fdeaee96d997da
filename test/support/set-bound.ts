import { onTestFinished } from 'vitest'
import type { Bound } from '../../server/src/kernel/index.ts'

/** Sets a bound to another value until the test has ended. */
export function setBound(bound: Bound, most: number): void {
  const before = bound.most
  Reflect.set(bound, 'most', most)
  onTestFinished(() => void Reflect.set(bound, 'most', before))
}
