import type { ReactNode } from 'react'
import { SwitchButton, SwitchField, type SwitchFieldProps } from 'react-aria-components'

type SwitchProps = Omit<SwitchFieldProps, 'className' | 'style' | 'children'> & { readonly children?: ReactNode }

/** A switch, which takes effect at once. The children are its label, in front of it. */
export function Switch({ children, ...props }: SwitchProps) {
  return (
    <SwitchField {...props} className="choice-field">
      <SwitchButton className="choice switch-choice">
        {children}
        <span className="switch" aria-hidden="true" />
      </SwitchButton>
    </SwitchField>
  )
}
