import { Check, ChevronDown } from 'lucide-react'
import {
  Select as AriaSelect,
  type SelectProps as AriaSelectProps,
  Button,
  ListBox,
  ListBoxItem,
  Popover,
  SelectValue,
} from 'react-aria-components'
import { FieldFoot, FieldLabel, type FieldProps } from './field-parts.tsx'

/** One of several values. */
export interface Choice {
  readonly id: string
  readonly name: string
  /** A second word, in grey. */
  readonly note?: string
}

interface SelectProps
  extends Omit<AriaSelectProps<Choice>, 'className' | 'style' | 'children' | 'isInvalid'>,
    FieldProps {
  readonly choices: readonly Choice[]
  /** The label is read out, and not shown. */
  readonly hasHiddenLabel?: boolean
}

/** A field for one of a few values. */
export function Select({ label, hint, error, isOptional, choices, hasHiddenLabel, ...props }: SelectProps) {
  return (
    <AriaSelect
      {...props}
      isInvalid={error !== undefined}
      className="field"
      {...(hasHiddenLabel ? { 'aria-label': label } : {})}
    >
      {hasHiddenLabel ? null : <FieldLabel label={label} isOptional={isOptional} />}
      <Button className="input select">
        <SelectValue className="select-value" />
        <ChevronDown className="icon" />
      </Button>
      <FieldFoot hint={hint} error={error} />
      <Popover className="menu" offset={4}>
        <ListBox items={choices}>{choice => <ChoiceItem {...choice} />}</ListBox>
      </Popover>
    </AriaSelect>
  )
}

/** A line in the list of a select or a combo box. */
export function ChoiceItem({ id, name, note }: Choice) {
  return (
    <ListBoxItem id={id} textValue={name} className="menu-item">
      {({ isSelected }) => (
        <>
          <span className="menu-text">{name}</span>
          {note === undefined ? null : <span className="muted push">{note}</span>}
          {isSelected ? <Check className="icon push" /> : null}
        </>
      )}
    </ListBoxItem>
  )
}
