interface KeyLookup {
  /** Columns of `external_keys` that are wanted. */
  readonly columns: readonly string[]
  /** SQL of the kind of records and of the key: columns, parameters or literals. */
  readonly kind: string
  readonly key: string
  /** Whether to look for the key of a removed record: then `key` is the result of `Secret.goneKey`. */
  readonly gone: boolean
  /** SQL of the application; $2 by default. */
  readonly application?: string
}

/**
 * SQL of a subquery that finds an external key of an application in organization $1. It compares all columns of the primary key, and
 * `offset 0` keeps the planner from joining in another way: otherwise a plan made while the table is empty could read all keys of the
 * application.
 */
export function keyLookup({ columns, kind, key, gone, application = '$2' }: KeyLookup): string {
  return `(select ${columns.map(column => `e.${column}`).join(', ')} from external_keys e
          where e.organization_id = $1 and e.application_id = ${application} and e.kind = ${kind}
            and ${gone ? 'e.gone' : 'not e.gone'} and e.key = ${key}
         offset 0)`
}
