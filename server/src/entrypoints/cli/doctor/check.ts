import { reasonOf } from '../reason.ts'

/** The result of checking one dependency. */
export interface Check {
  readonly name: string
  readonly ok: boolean
  readonly message: string
}

/** Runs one check. Its result is the message; its error is the reason why it failed. */
export async function check(name: string, examine: () => Promise<string>): Promise<Check> {
  try {
    return { name, ok: true, message: await examine() }
  } catch (error) {
    return { name, ok: false, message: await reasonOf(error) }
  }
}
