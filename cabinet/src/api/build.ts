type Listener = () => void

let known: string | undefined
let isOld = false
const listeners = new Set<Listener>()

/** Remembers the build that an answer comes from. When it differs from the first one, these pages are those of an older version. */
export function noteBuild(build: string | null): void {
  if (build === null || build === known || isOld) return
  if (known === undefined) {
    known = build
    return
  }
  isOld = true
  for (const listen of listeners) listen()
}

/** Whether the server has another version than these pages. */
export const hasNewBuild = (): boolean => isOld

/** Calls the listener when that changes. Returns what takes it away. */
export function onNewBuild(listen: Listener): () => void {
  listeners.add(listen)
  return () => listeners.delete(listen)
}
