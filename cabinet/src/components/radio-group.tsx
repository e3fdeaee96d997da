import {
  RadioGroup as AriaRadioGroup,
  type RadioGroupProps as AriaRadioGroupProps,
  RadioButton,
  RadioField,
} from 'react-aria-components'
import { FieldFoot, FieldLabel, type FieldProps } from './field-parts.tsx'
import type { Choice } from './select.tsx'

interface RadioGroupProps extends Omit<AriaRadioGroupProps, 'className' | 'style' | 'children'>, FieldProps {
  readonly choices: readonly Choice[]
}

/** One of a few values, all of them in sight. */
export function RadioGroup({ label, hint, error, isOptional, choices, ...props }: RadioGroupProps) {
  return (
    <AriaRadioGroup {...props} isInvalid={error !== undefined} className="field">
      <FieldLabel label={label} isOptional={isOptional} />
      <div className="radios">
        {choices.map(({ id, name }) => (
          <RadioField key={id} value={id}>
            <RadioButton className="choice">
              <span className="radio" aria-hidden="true" />
              {name}
            </RadioButton>
          </RadioField>
        ))}
      </div>
      <FieldFoot hint={hint} error={error} />
    </AriaRadioGroup>
  )
}
