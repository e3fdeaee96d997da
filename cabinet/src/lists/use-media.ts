import { useSyncExternalStore } from 'react'

/** Whether the page is so narrow that rows have two lines. */
export function useIsNarrow(): boolean {
  return useMedia('(max-width: 640px)')
}

/** Whether the page is so wide that a record stands beside the list. */
export function useIsWide(): boolean {
  return useMedia('(min-width: 1360px)')
}

function useMedia(query: string): boolean {
  return useSyncExternalStore(
    listen => {
      const media = window.matchMedia(query)
      media.addEventListener('change', listen)
      return () => media.removeEventListener('change', listen)
    },
    () => window.matchMedia(query).matches,
  )
}
