import { type ReactNode, Suspense, useState } from 'react'
import { lazyPart } from '../components/index.ts'
import type { ChoicesProps } from './choices.tsx'

const Choices = lazyPart(
  async () => (await import('./choices.tsx')).Choices,
  ({ onClose }) => onClose,
)

interface ChoiceDialogProps extends ChoicesProps {
  /** What opens it, given how. */
  readonly button: (open: () => void) => ReactNode
}

/** A button, and the dialog behind it in which several of many can be chosen. */
export function ChoiceDialog({ button, ...choices }: ChoiceDialogProps) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      {button(() => setOpen(true))}
      <Suspense>{isOpen ? <Choices {...choices} onClose={() => setOpen(false)} /> : null}</Suspense>
    </>
  )
}
