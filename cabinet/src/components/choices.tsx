import { Check, Minus } from 'lucide-react'
import type { ReactNode } from 'react'
import {
  RadioGroup as AriaRadioGroup,
  type RadioGroupProps as AriaRadioGroupProps,
  CheckboxButton,
  CheckboxField,
  type CheckboxFieldProps,
  RadioButton,
  RadioField,
  SwitchButton,
  SwitchField,
  type SwitchFieldProps,
} from 'react-aria-components'
import { FieldFoot, FieldLabel, type FieldProps } from './field-parts.tsx'
import type { Choice } from './select.tsx'

type Bare<Props> = Omit<Props, 'className' | 'style' | 'children'>

/** A box to tick. Without children it needs an `aria-label`. */
export function Checkbox({ children, ...props }: Bare<CheckboxFieldProps> & { readonly children?: ReactNode }) {
  return (
    <CheckboxField {...props} className="choice-field">
      <CheckboxButton className="choice">
        {({ isSelected, isIndeterminate }) => (
          <>
            <span className="check" aria-hidden="true">
              {isIndeterminate ? <Minus className="icon" /> : isSelected ? <Check className="icon" /> : null}
            </span>
            {children}
          </>
        )}
      </CheckboxButton>
    </CheckboxField>
  )
}

/** A switch, which takes effect at once. The children are its label, in front of it. */
export function Switch({ children, ...props }: Bare<SwitchFieldProps> & { readonly children?: ReactNode }) {
  return (
    <SwitchField {...props} className="choice-field">
      <SwitchButton className="choice switch-choice">
        {children}
        <span className="switch" aria-hidden="true" />
      </SwitchButton>
    </SwitchField>
  )
}

interface RadioGroupProps extends Bare<AriaRadioGroupProps>, FieldProps {
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
