/** A named statement. It is sent as a prepared statement of that name, so each name must always have the same text. */
export interface Statement {
  readonly name: string
  readonly text: string
}

const known = new Map<string, string>()

/** Creates a named statement. The name is also in the text, so that PostgreSQL's views and logs show it. */
export function statement(name: string, text: string): Statement {
  const named = `-- name: ${name}\n${text.trim()}`
  const previous = known.get(name)
  if (previous !== undefined && previous !== named) throw new Error(`two statements are named ${name}`)
  known.set(name, named)
  return { name, text: named }
}

/** The name of a statement, even of one that is sent unnamed so that it is planned for its values. */
export function nameOf({ name, text }: Statement): string {
  return name === '' ? (/^-- name: (\w+)/u.exec(text)?.[1] ?? 'unnamed') : name
}

/**
 * The same, sent unnamed and so planned each time: for statements about many rows that are rare. A prepared plan that was made while the
 * table was empty could walk through all rows of the organization (ADR 0006).
 */
export function plannedAnew(name: string, text: string): Statement {
  return { name: '', text: statement(name, text).text }
}

/**
 * A statement that is sent together with the claim of an idempotency key, before it is known whether the key was free.
 * If another request holds the key, or the key has an answer, the statement does nothing and locks nothing.
 */
export function claimedStatement(name: string, text: string): Statement {
  return statement(
    name,
    `select claimed.* from (\n${text.trim()}\n) as claimed where current_setting('crm.claim') = 'held'`,
  )
}

/** Adds a value to a statement, and returns its parameter: `$2`. */
export type Bind = (value: unknown) => string

/** Returns a `Bind` that appends to these values. */
export function binding(values: unknown[]): Bind {
  return value => `$${values.push(value)}`
}

/** The column name of a field: snake case for camel case. */
export function columnName(field: string): string {
  return field.replace(/[A-Z]/gu, letter => `_${letter.toLowerCase()}`)
}
