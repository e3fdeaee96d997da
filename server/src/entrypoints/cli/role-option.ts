import { InvalidArgumentError, Option } from 'commander'
import { type MemberRole, memberRoles } from '../../kernel/auth/index.ts'

/** The option of a role: commands write `read_only` as `read-only`. */
export function roleOption(description: string): Option {
  return new Option('--role <role>', `${description}: ${memberRoles.map(roleWord).join(', ')}`).argParser(text => {
    const role = memberRoles.find(each => roleWord(each) === text)
    if (role === undefined) throw new InvalidArgumentError(`It is one of ${memberRoles.map(roleWord).join(', ')}.`)
    return role
  })
}

export function roleWord(role: MemberRole): string {
  return role.replaceAll('_', '-')
}
