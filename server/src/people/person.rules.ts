import { type Issue, tidyText } from '../kernel/schema/index.ts'

/** What identifies a user. */
export interface Person {
  readonly email: string
  readonly name: string
}

const mostEmail = 254
const mostName = 200
const emailForm = /^[^\s@\p{Cc}]+@[^\s@\p{Cc}]+$/u
const nameForm = /^\P{Cc}+$/u

/** The same in the form in which it is stored: NFC, without outer space. */
export function tidyPerson<P extends Partial<Person>>(person: P): P {
  const { email, name } = person
  return {
    ...person,
    ...(email === undefined ? {} : { email: tidyText(email) }),
    ...(name === undefined ? {} : { name: tidyText(name) }),
  }
}

/** What is wrong with an address or a name. */
export function inspectPerson({ email, name }: Partial<Person>): Issue[] {
  const issues: Issue[] = []
  if (email !== undefined && !(emailForm.test(email) && email.length <= mostEmail))
    issues.push({ path: '/email', rule: 'format', message: `"${email}" is no e-mail address` })
  if (name !== undefined && !(nameForm.test(name) && name.length <= mostName))
    issues.push({
      path: '/name',
      rule: 'format',
      message: `a name takes 1 to ${mostName} characters, without control characters`,
    })
  return issues
}
