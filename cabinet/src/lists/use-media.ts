import { useSyncExternalStore } from 'react'

const query = '(max-width: 640px)'

/** Whether the page is so narrow that rows have two lines. */
export function useIsNarrow(): boolean {
  return useSyncExternalStore(
    listen => {
      const media = window.matchMedia(query)
      media.addEventListener('change', listen)
      return () => media.removeEventListener('change', listen)
    },
    () => window.matchMedia(query).matches,
  )
}
