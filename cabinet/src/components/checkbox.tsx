import { Check, Minus } from 'lucide-react'
import type { ReactNode } from 'react'
import { CheckboxButton, CheckboxField, type CheckboxFieldProps } from 'react-aria-components'

type CheckboxProps = Omit<CheckboxFieldProps, 'className' | 'style' | 'children'> & { readonly children?: ReactNode }

/** A box to tick. Without children it needs an `aria-label`. */
export function Checkbox({ children, ...props }: CheckboxProps) {
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
