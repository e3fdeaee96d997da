import { reasonOf } from '../reason.ts'

/** What was found out about one dependency. */
export interface Check {
  readonly name: string
  readonly ok: boolean
  readonly message: string
}

/** Runs one check: what it resolves to is the message, what it throws is why it failed. */
export async function check(name: string, examine: () => Promise<string>): Promise<Check> {
  try {
    return { name, ok: true, message: await examine() }
  } catch (error) {
    return { name, ok: false, message: await reasonOf(error) }
  }
}
