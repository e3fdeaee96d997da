/** A named statement: sent as a prepared statement of that name, so one name always has one text. */
export interface Statement {
  readonly name: string
  readonly text: string
}

const known = new Map<string, string>()

/** Names a statement. The name stands in the text, so that it shows in PostgreSQL's own views and logs. */
export function statement(name: string, text: string): Statement {
  const named = `-- name: ${name}\n${text.trim()}`
  const previous = known.get(name)
  if (previous !== undefined && previous !== named) throw new Error(`two statements are named ${name}`)
  known.set(name, named)
  return { name, text: named }
}

/**
 * A statement that is sent together with the claim of an idempotency key, before it is known whether the key was free. It
 * does nothing and locks nothing where the key is held by another request, or has an answer already.
 */
export function claimedStatement(name: string, text: string): Statement {
  return statement(
    name,
    `select claimed.* from (\n${text.trim()}\n) as claimed where current_setting('crm.claim') = 'held'`,
  )
}
