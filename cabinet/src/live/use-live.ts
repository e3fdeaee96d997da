import { useEffect, useRef, useSyncExternalStore } from 'react'
import type { LiveMessage } from './live.rules.ts'
import { LiveStream } from './live-stream.ts'

type Listener = (message: LiveMessage) => void

/** The stream of an organization, as long as some part of the page listens to it. */
interface Shared {
  readonly stream: LiveStream
  readonly listeners: Set<Listener>
}

const streams = new Map<string, Shared>()
let isLive = false
const watchers = new Set<() => void>()

/** Calls the listener with each message of an organization's stream, as long as the component is shown. */
export function useLive(organization: string, listener: Listener): void {
  const latest = useRef(listener)
  useEffect(() => {
    latest.current = listener
  })
  useEffect(() => listen(organization, message => latest.current(message)), [organization])
}

/** Whether changes of others arrive at once. */
export function useIsLive(): boolean {
  return useSyncExternalStore(
    watch => {
      watchers.add(watch)
      return () => watchers.delete(watch)
    },
    () => isLive,
  )
}

function listen(organization: string, listener: Listener): () => void {
  const shared = streams.get(organization) ?? open(organization)
  shared.listeners.add(listener)
  return () => {
    shared.listeners.delete(listener)
    // The next page often listens at once.
    setTimeout(() => {
      if (shared.listeners.size > 0 || streams.get(organization) !== shared) return
      shared.stream.close()
      streams.delete(organization)
      become(false)
    }, 1_000)
  }
}

function open(organization: string): Shared {
  const listeners = new Set<Listener>()
  const tell = (message: LiveMessage) => {
    become(message.type === 'state' ? message.isLive : isLive || message.type !== 'reset')
    for (const listener of listeners) listener(message)
  }
  const stream = new LiveStream(organization, tell, {
    open: address => new EventSource(address),
    channel: name => new BroadcastChannel(name),
    locks: navigator.locks,
    later: (what, milliseconds) => setTimeout(what, milliseconds),
  })
  const shared = { stream, listeners }
  streams.set(organization, shared)
  return shared
}

function become(next: boolean): void {
  if (next === isLive) return
  isLive = next
  for (const watch of watchers) watch()
}
