import type { FieldDefinition } from '../records/field.ts'
import type { Json } from '../records/record.ts'

/** What the input of one field gets. */
export interface InputProps {
  readonly field: FieldDefinition
  readonly value: Json
  readonly onChange: (value: Json) => void
  readonly error?: string | undefined
  /** Whether the form begins here. */
  readonly isFirst?: boolean
  /** Whether what stands in it is being saved, and stays as it is. */
  readonly isReadOnly?: boolean
}
