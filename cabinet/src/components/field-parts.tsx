import { TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { FieldError, Label, Text } from 'react-aria-components'
import { useWords } from '../words/index.ts'

/** What every field has. */
export interface FieldProps {
  readonly label: string
  /** A line below: limits, examples. */
  readonly hint?: ReactNode
  /** What is wrong with the value: the server's words, or the form's own. */
  readonly error?: string | undefined
  readonly isOptional?: boolean
}

/** The label above a field. */
export function FieldLabel({ label, isOptional }: Pick<FieldProps, 'label' | 'isOptional'>) {
  const { t } = useWords()
  return (
    <Label className="label">
      {label}
      {isOptional ? <span className="muted"> {t('optional')}</span> : null}
    </Label>
  )
}

/** The lines below a field. The error takes the place of the hint. */
export function FieldFoot({ hint, error }: Pick<FieldProps, 'hint' | 'error'>) {
  return (
    <>
      {hint === undefined || error !== undefined ? null : (
        <Text slot="description" className="hint">
          {hint}
        </Text>
      )}
      <FieldError className="error-text">
        {({ validationErrors }) => (
          <>
            <TriangleAlert className="icon icon-small" />
            {error ?? validationErrors.join(' ')}
          </>
        )}
      </FieldError>
    </>
  )
}
