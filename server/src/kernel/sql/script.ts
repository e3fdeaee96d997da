import type { Row } from './row.ts'

/** Runs SQL on one connection. */
export type Run = (text: string) => Promise<Row[]>

// Everything that may contain a semicolon that ends no statement is one token: comments, texts, names, function bodies.
const tokens = /--.*|\/\*[\s\S]*?\*\/|'[^']*'|"[^"]*"|\$(\w*)\$[\s\S]*?\$\1\$|;|[^-/'"$;]+|[\s\S]/gu

/** The statements of a script, without its comments. */
export function statementsOf(script: string): string[] {
  const statements: string[] = []
  let current = ''
  for (const [token] of script.matchAll(tokens)) {
    if (token === ';') {
      statements.push(current)
      current = ''
    } else if (!/^(?:--|\/\*)/u.test(token)) current += token
  }
  return [...statements, current].map(each => each.trim()).filter(each => each !== '')
}

/** Runs the work in one transaction, and rolls back if it fails. */
export async function inTransaction<Result>(run: Run, work: () => Promise<Result>): Promise<Result> {
  await run('begin')
  try {
    const result = await work()
    await run('commit')
    return result
  } catch (error) {
    // If the connection is lost, there is nothing to roll back.
    await run('rollback').catch(() => {})
    throw error
  }
}
