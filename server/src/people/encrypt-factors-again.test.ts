import { afterAll, beforeAll, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.ts'
import { Secret } from '../kernel/index.ts'
import { newId } from '../kernel/schema/index.ts'
import { statement } from '../kernel/sql/index.ts'
import { encryptFactorsAgain } from './encrypt-factors-again.ts'
import { factorPlace } from './second-factor.ts'

let test: TestDatabase
beforeAll(async () => {
  test = await createTestDatabase(2)
})
afterAll(() => test.drop())

const [former, current, unknown] = ['the former secret', 'the current secret', 'a secret that nobody has']
const selectFactors = statement('test_factors', 'select u.id, u.totp_secret from users u order by u.name')

it('encrypts second factors with the current secret, and leaves those that it cannot read', async () => {
  for (const [name, text] of Object.entries({ a: former, b: current, c: unknown })) {
    const id = newId()
    const stored = new Secret(text).keyring.encrypt(`factor ${name}`, factorPlace(id))
    await test.database.script(
      `insert into users (id, email, name, totp_secret, created_at, updated_at)
       values ('${id}', '${name}@example.com', '${name}', '${stored}', now(), now())`,
    )
  }
  const secret = new Secret(current, [former])
  expect(await encryptFactorsAgain({ ...test, secret })).toEqual({ encrypted: 1, unreadable: 1 })
  const rows = await test.database.query(selectFactors, [])
  const { keyring } = new Secret(current)
  expect(rows.map(({ id, totp_secret: stored }) => keyring.decrypt(String(stored), factorPlace(String(id))))).toEqual([
    'factor a',
    'factor b',
    null,
  ])
  expect(await encryptFactorsAgain({ ...test, secret })).toEqual({ encrypted: 0, unreadable: 1 })
})
