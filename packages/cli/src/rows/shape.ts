/** A value that a cell of a table can have. */
export interface PlainShape {
  readonly is: 'text' | 'integer' | 'boolean' | 'keys'
  /** Whether null takes the value away. */
  readonly nullable?: true
}

/** A list whose elements are written with their place: `websites[0]`. */
export interface ListShape {
  readonly is: 'list'
  readonly of: Shape
  readonly most: number
}

export interface ObjectShape {
  readonly is: 'object'
  readonly members: Readonly<Record<string, Shape>>
  readonly required?: readonly string[]
  readonly nullable?: true
}

/** What a part of a record can be, as the document of the API describes it. */
export type Shape = PlainShape | ListShape | ObjectShape

/** The kinds of records that can be written by their key. */
export const rowKinds = ['contacts', 'companies', 'deals', 'tasks'] as const

export type RowKind = (typeof rowKinds)[number]

/** A field of an organization, as `/capabilities` tells it. */
interface CustomField {
  readonly kind: string
  readonly key: string
  readonly type: string
}

/** The shape of a kind of records with the fields that the organization has added to it: `kind` is that of `/capabilities`. */
export function withCustomFields(shape: ObjectShape, kind: string, fields: readonly CustomField[]): ObjectShape {
  const members = fields
    .filter(field => field.kind === kind)
    .map(({ key, type }): [string, Shape] => [key, { is: shapeNames.get(type) ?? 'text', nullable: true }])
  return {
    ...shape,
    members: { ...shape.members, customFields: { is: 'object', members: Object.fromEntries(members) } },
  }
}

/** A number is sent as a decimal text. */
const shapeNames = new Map<string, PlainShape['is']>([
  ['boolean', 'boolean'],
  ['multiselect', 'keys'],
])
