import { useEffect, useRef, useSyncExternalStore } from 'react'
import type { LiveMessage, LiveState } from './live.rules.ts'
import { LiveStream } from './live-stream.ts'

type Listener = (message: LiveMessage) => void

/** The stream of an organization, as long as some part of the page listens to it. */
interface Shared {
  readonly stream: LiveStream
  readonly listeners: Set<Listener>
}

const streams = new Map<string, Shared>()
let state: LiveState = 'connecting'
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
export function useLiveState(): LiveState {
  return useSyncExternalStore(
    watch => {
      watchers.add(watch)
      return () => watchers.delete(watch)
    },
    () => state,
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
      become('connecting')
    }, 1_000)
  }
}

function open(organization: string): Shared {
  const listeners = new Set<Listener>()
  const tell = (message: LiveMessage) => {
    if (message.type === 'state') become(message.state)
    else if (message.type !== 'reset') become('live')
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

function become(next: LiveState): void {
  if (next === state) return
  state = next
  for (const watch of watchers) watch()
}
