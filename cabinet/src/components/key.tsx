import type { ReactNode } from 'react'

/** A key of the keyboard, as its cap reads. */
export function Key({ children }: { readonly children: ReactNode }) {
  return (
    <kbd className="kbd" aria-hidden="true">
      {children}
    </kbd>
  )
}
