import { passwordLength } from './password.rules.ts'

let loaded: Promise<ReadonlySet<string>> | undefined

/**
 * Resolves to a function that says whether a text is among the 49,000 commonest passwords, in lower case. The list is loaded for the first
 * new password: most servers need it rarely. Only those that are long enough are kept.
 */
export async function loadCommonPasswords(): Promise<(text: string) => boolean> {
  loaded ??= read()
  const common = await loaded
  return text => common.has(text)
}

async function read(): Promise<ReadonlySet<string>> {
  const { dictionary } = await import('@zxcvbn-ts/language-common')
  const passwords: readonly unknown[] = dictionary['passwords-common']
  const long = passwords.map(each => String(each).toLowerCase()).filter(each => each.length >= passwordLength.least)
  return new Set(long)
}
