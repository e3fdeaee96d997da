import { Search, X } from 'lucide-react'
import {
  SearchField as AriaSearchField,
  type SearchFieldProps as AriaSearchFieldProps,
  Button,
  Input,
} from 'react-aria-components'

interface SearchFieldProps extends Omit<AriaSearchFieldProps, 'className' | 'style' | 'children'> {
  /** The name of the field, which is its placeholder too. */
  readonly label: string
}

/** A field to search in what the page shows. Escape empties it. */
export function SearchField({ label, ...props }: SearchFieldProps) {
  return (
    <AriaSearchField {...props} aria-label={label} className="search-field input">
      <Search className="icon" />
      <Input placeholder={label} />
      <Button className="icon-btn icon-btn-small">
        <X className="icon" />
      </Button>
    </AriaSearchField>
  )
}
