import { ArrowUp, X } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button } from 'react-aria-components'
import { useWords } from '../words/index.ts'

export type Meaning = 'plain' | 'success' | 'warning' | 'danger' | 'info'

/** A state in a word or two. Colour alone says nothing: the word does. */
export function Badge({ meaning = 'plain', children }: { readonly meaning?: Meaning; readonly children: ReactNode }) {
  return <span className={meaning === 'plain' ? 'badge' : `badge badge-${meaning}`}>{children}</span>
}

/** A tag. Its colour, any of `#rrggbb`, is a dot. */
export function Tag({ name, color }: { readonly name: string; readonly color?: string | null | undefined }) {
  return (
    <span className="chip">
      {color == null ? null : (
        <svg className="dot" viewBox="0 0 8 8" aria-hidden="true">
          <circle cx="4" cy="4" r="4" fill={color} />
        </svg>
      )}
      {name}
    </span>
  )
}

interface FilterChipProps {
  /** `Owner is`, in front of the value. */
  readonly words: string
  readonly value: string
  readonly onEdit?: () => void
  readonly onRemove: () => void
}

/** A filter that is on: pressed to change it, with a cross to take it away. */
export function FilterChip({ words, value, onEdit, onRemove }: FilterChipProps) {
  const { t } = useWords()
  return (
    <span className="filter-chip">
      <Button onPress={() => onEdit?.()}>
        {words} <b>{value}</b>
      </Button>
      <Button aria-label={t('Remove filter {name}', { name: `${words} ${value}` })} onPress={onRemove}>
        <X className="icon icon-small" />
      </Button>
    </span>
  )
}

/** What has come in meanwhile: `3 new, show them`. Nothing moves until it is pressed. */
export function NewRowsPill({ count, onPress }: { readonly count: number; readonly onPress: () => void }) {
  const { t } = useWords()
  return (
    <Button className="pill-new" onPress={onPress}>
      <ArrowUp className="icon icon-small" />
      {t('{count} new, show them', { count })}
    </Button>
  )
}
