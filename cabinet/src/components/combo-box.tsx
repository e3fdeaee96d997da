import { ChevronDown } from 'lucide-react'
import {
  ComboBox as AriaComboBox,
  type ComboBoxProps as AriaComboBoxProps,
  Button,
  Group,
  Input,
  ListBox,
  Popover,
} from 'react-aria-components'
import { useWords } from '../words/index.ts'
import { FieldFoot, FieldLabel, type FieldProps } from './field-parts.tsx'
import { type Choice, ChoiceItem } from './select.tsx'

interface ComboBoxProps
  extends Omit<AriaComboBoxProps<Choice>, 'className' | 'style' | 'children' | 'isInvalid'>,
    FieldProps {
  readonly placeholder?: string
}

/**
 * A field for one of many values, found by typing. Give `items` and `onInputChange` to ask the server for each text, or `defaultItems` to
 * filter what is there.
 */
export function ComboBox({ label, hint, error, isOptional, placeholder, ...props }: ComboBoxProps) {
  const { t } = useWords()
  return (
    <AriaComboBox allowsEmptyCollection {...props} isInvalid={error !== undefined} className="field">
      <FieldLabel label={label} isOptional={isOptional} />
      <Group className="input combo">
        <Input placeholder={placeholder} />
        <Button className="icon-btn icon-btn-small">
          <ChevronDown className="icon" />
        </Button>
      </Group>
      <FieldFoot hint={hint} error={error} />
      <Popover className="menu" offset={4}>
        <ListBox<Choice> renderEmptyState={() => <p className="menu-title">{t('Nothing found')}</p>}>
          {choice => <ChoiceItem {...choice} />}
        </ListBox>
      </Popover>
    </AriaComboBox>
  )
}
