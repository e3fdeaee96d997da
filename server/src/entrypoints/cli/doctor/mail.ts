import { Mail } from '../../../kernel/mail/index.ts'
import type { Config } from '../../../start/config.ts'
import { type Check, check } from './check.ts'

/** Checks that the server that takes mail can be reached and takes the user, if there is one. Sends nothing. */
export async function examineMail({ smtp }: Config): Promise<Check[]> {
  return smtp === undefined ? [] : [await check('mail', () => new Mail(smtp).check())]
}
