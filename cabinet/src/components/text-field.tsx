import {
  TextField as AriaTextField,
  type TextFieldProps as AriaTextFieldProps,
  Input,
  TextArea,
} from 'react-aria-components'
import { FieldFoot, FieldLabel, type FieldProps } from './field-parts.tsx'

interface TextFieldProps
  extends Omit<AriaTextFieldProps, 'className' | 'style' | 'children' | 'isInvalid'>,
    FieldProps {
  /** As many lines to begin with; it grows. One line without it. */
  readonly rows?: number
  readonly placeholder?: string
}

/** A field for text, in one line or several. */
export function TextField({ label, hint, error, isOptional, rows, placeholder, ...props }: TextFieldProps) {
  return (
    <AriaTextField {...props} isInvalid={error !== undefined} className="field">
      <FieldLabel label={label} isOptional={isOptional} />
      {rows === undefined ? (
        <Input className="input" placeholder={placeholder} />
      ) : (
        <TextArea className="input" rows={rows} placeholder={placeholder} />
      )}
      <FieldFoot hint={hint} error={error} />
    </AriaTextField>
  )
}
