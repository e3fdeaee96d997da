type Listener = () => void

let known: string | undefined
let isOld = false
const listeners = new Set<Listener>()

/** Remembers the build that an answer names. When it differs from the first one, these pages are those of an older version. */
export function noteBuild(build: string | null): void {
  if (build === null) return
  if (known === undefined) known = build
  else if (build !== known) becomeOld()
}

/** Asks whether the server has other pages than these: its first page names another script then. */
export async function findNewBuild(): Promise<boolean> {
  const script = document.querySelector<HTMLScriptElement>('script[type="module"]')?.src
  const answer = await fetch('/cabinet/', { headers: { Accept: 'text/html' } }).catch(() => undefined)
  if (script === undefined || answer?.ok !== true) return false
  const isNew = !(await answer.text()).includes(new URL(script).pathname)
  if (isNew) becomeOld()
  return isNew
}

/** Whether the server has another version than these pages. */
export const hasNewBuild = (): boolean => isOld

/** Calls the listener when that changes. Returns what takes it away. */
export function onNewBuild(listen: Listener): () => void {
  listeners.add(listen)
  return () => listeners.delete(listen)
}

function becomeOld(): void {
  if (isOld) return
  isOld = true
  for (const listen of listeners) listen()
}
