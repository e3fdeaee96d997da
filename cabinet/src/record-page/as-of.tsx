import { useId } from 'react'
import { Button } from '../components/index.ts'
import type { RecordState } from '../records/record.ts'
import { useWorkspace } from '../workspace/workspace.ts'

interface AsOfProps {
  readonly record: RecordState
  /** The version that the page shows; null: as it is now. */
  readonly version: number | null
  readonly onVersion: (version: number | null) => void
}

/** Shows the record as it was at a version. */
export function AsOfSlider({ record, version, onVersion }: AsOfProps) {
  const { t } = useWorkspace().showing.words
  const id = useId()
  if (record.version === 1) return null
  const shown = version ?? record.version
  return (
    <div className="as-of">
      <label htmlFor={id}>{t('As of')}</label>
      <input
        id={id}
        type="range"
        min={1}
        max={record.version}
        value={shown}
        aria-valuetext={`v${shown}`}
        onChange={({ target }) => onVersion(Number(target.value) === record.version ? null : Number(target.value))}
      />
      <span>{`v${shown}`}</span>
      <span className="push muted">
        {version === null ? (
          t('Move to see the record as it was')
        ) : (
          <Button look="quiet" isSmall onPress={() => onVersion(null)}>
            {t('Back to now')}
          </Button>
        )}
      </span>
    </div>
  )
}
