import type { Import } from './cruise.ts'

/**
 * Circles between parts of a folder: a part is a folder directly in it, with all that lies deeper, or a file directly
 * in it. Files without a circle can still be folders with one, which nobody can read one after the other.
 */
export function circlesBetweenParts(folder: string, imports: readonly Import[]): string[][] {
  const reached = new Map<string, Set<string>>()
  for (const { from, to } of imports) {
    const [one, other] = [partOf(folder, from), partOf(folder, to)]
    if (one === null || other === null || one === other) continue
    reached.set(one, (reached.get(one) ?? new Set()).add(other))
  }
  const all = [...reached.keys()].map(part => closureOf(part, reached))
  const circles = all.filter(({ part, closure }) => closure.has(part))
  const byMembers = circles.map(({ part, closure }) => [...closure].filter(other => leadsTo(other, part, all)).sort())
  return [...new Set(byMembers.map(members => members.join(' ')))].map(members => members.split(' '))
}

interface Closure {
  readonly part: string
  readonly closure: ReadonlySet<string>
}

function leadsTo(one: string, other: string, all: readonly Closure[]): boolean {
  return all.some(({ part, closure }) => part === one && closure.has(other))
}

/** Whatever a part leads to, over any number of imports. */
function closureOf(part: string, reached: ReadonlyMap<string, ReadonlySet<string>>): Closure {
  const closure = new Set<string>()
  const pending = [...(reached.get(part) ?? [])]
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (closure.has(next)) continue
    closure.add(next)
    pending.push(...(reached.get(next) ?? []))
  }
  return { part, closure }
}

function partOf(folder: string, file: string): string | null {
  if (!file.startsWith(`${folder}/`) || file.endsWith('.test.ts')) return null
  const [first = ''] = file.slice(folder.length + 1).split('/')
  // The door of the folder leads to everything by its nature.
  return first === 'index.ts' ? null : first
}
