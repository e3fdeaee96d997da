import { beforeAll, describe, expect, it } from 'vitest'
import { useCommands } from '../../../../test/support/commands.ts'
import { isObject, type JsonObject } from '../../kernel/schema/index.ts'

const commands = useCommands({ serve: async () => 0, confirm: async () => false })
const json = (...words: string[]) => commands().json(...words)
const reasonOf = (...words: string[]) => commands().reasonOf(...words)
const text = async (...words: string[]) => (await commands().run(words)).out

let organization: string
let of: readonly [string, string]
let tag: unknown
beforeAll(async () => {
  organization = String((await json('organization', 'create', '--name', 'Acme')).id)
  of = ['--organization', organization]
  tag = (await json('tag', 'create', ...of, '--name', 'VIP')).id
})

async function list(word: string, part: string, ...where: string[]): Promise<readonly JsonObject[]> {
  const { [part]: records } = await json(word, 'list', ...where)
  return Array.isArray(records) ? records.filter(isObject) : []
}

const names = (records: readonly JsonObject[]) => records.map(({ name }) => name)

describe('a name that several organizations have', () => {
  it('is enough together with the organization', async () => {
    const [one, other] = [
      ['--organization', 'Twin 1'],
      ['--organization', 'Twin 2'],
    ]
    for (const [, name = ''] of [one, other]) await json('organization', 'create', '--name', name)
    const { id } = await json('tag', 'create', ...one, '--name', 'Same')
    const { id: another } = await json('tag', 'create', ...other, '--name', 'Same')
    const candidates = `${String(id)} (Twin 1), ${String(another)} (Twin 2)`
    expect(await reasonOf('tag', 'show', 'Same')).toBe(`several tags are named Same, use the id of one: ${candidates}`)
    expect(await json('tag', 'show', 'Same', ...one)).toMatchObject({ id })
    await json('tag', 'set', 'same', ...one, '--color', '#00FF00')
    expect(await json('tag', 'show', String(id))).toMatchObject({ color: '#00FF00' })
    expect(await json('tag', 'remove', 'Same', ...one)).toEqual({ id })
    expect(await reasonOf('tag', 'show', String(id), ...other)).toBe(`no such tag: ${String(id)}: see tag list`)
  })
})

describe('list', () => {
  const idsOf = (records: readonly JsonObject[]) => records.map(({ id }) => id)

  it('shows the settings of all organizations with `--all`, each with its organization', async () => {
    const other = String((await json('organization', 'create', '--name', 'Elsewhere')).id)
    const { id } = await json('tag', 'create', '--organization', other, '--name', 'Far')
    const tags = await list('tag', 'tags', '--all')
    expect(tags).toContainEqual(expect.objectContaining({ id, organization: 'Elsewhere', organizationId: other }))
    expect(tags).toContainEqual(expect.objectContaining({ id: tag, organizationId: organization }))
    const stages = await list('stage', 'stages', '--all', '--type', 'won')
    expect(stages).toContainEqual(expect.objectContaining({ organizationId: other, organization: 'Elsewhere' }))
    expect(await reasonOf('tag', 'list', '--all', ...of)).toMatch(/'--all' cannot be used with option '--organization/u)
  })

  it('leaves out settings of other names, types and states', async () => {
    const options = ['--provider', 'external', '--quota', '1GiB', '--currencies', 'EUR']
    const made = await json('organization', 'create', '--name', 'Filtered', ...options)
    expect(made).toMatchObject({ crmProvider: 'external', fileQuotaBytes: 1024 ** 3, currencies: ['USD', 'EUR'] })
    const sales = ['--organization', String(made.id)]
    const ann = await json(
      'operator',
      'create',
      '--organization',
      'Filtered',
      '--name',
      'Ann Lee',
      '--email',
      'ann@lee.example',
    )
    const bob = await json('operator', 'create', ...sales, '--name', 'Bob', '--email', 'bob@lee.example')
    await json('operator', 'set', String(bob.id), '--inactive')
    const operators = async (...filters: string[]) => idsOf(await list('operator', 'operators', ...sales, ...filters))
    expect(await operators('--name', 'LEE')).toEqual([ann.id])
    expect(await operators('--active')).toEqual([ann.id])
    expect(await operators('--inactive')).toEqual([bob.id])
    expect(await operators('--name', 'lee', '--inactive')).toEqual([])
    expect(names(await list('stage', 'stages', ...sales, '--type', 'lost'))).toEqual(['Lost'])
    const [first] = await list('stage', 'stages', ...sales)
    await json('stage', 'set', String(first?.id), '--archived')
    expect(idsOf(await list('stage', 'stages', ...sales, '--archived'))).toEqual([first?.id])
    const others = idsOf(await list('stage', 'stages', ...sales, '--no-archived'))
    expect([others.length, others.includes(first?.id)]).toEqual([5, false])
    expect(names(await list('organization', 'organizations', '--name', 'filter', '--writable'))).toEqual(['Filtered'])
    expect(names(await list('organization', 'organizations', '--provider', 'external'))).toEqual(['Filtered'])
    expect(await reasonOf('stage', 'list', ...sales, '--type', 'closed')).toContain(
      'Allowed choices are open, won, lost',
    )
  })

  it('shows tokens that nobody uses, and those that expire soon', async () => {
    const erp = ['--application', String((await json('application', 'create', ...of, '--name', 'Nightly')).id)]
    const issue = async (name: string, ...options: string[]) =>
      String((await json('token', 'create', ...erp, '--name', name, '--scopes', 'all', ...options)).id)
    const [idle, busy, never] = [await issue('idle'), await issue('busy'), await issue('never')]
    const fresh = await issue('fresh', '--expires-in', '13d')
    const revoked = await issue('revoked', '--expires-in', '13d')
    await json('token', 'revoke', revoked)
    const lastUsed = (days: string) =>
      `update api_tokens set created_at = now() - interval '200 days', last_used_at = now() - ${days} where id = $1 returning 1`
    await commands().one(lastUsed("interval '91 days'"), idle)
    await commands().one(lastUsed("interval '1 day'"), busy)
    await commands().one(lastUsed('null::interval'), never)
    await commands().one(lastUsed('null::interval'), revoked)
    const unused = idsOf(await list('token', 'tokens', ...erp, '--unused-for', '90d'))
    expect(unused.toSorted()).toEqual([idle, never].toSorted())
    expect(idsOf(await list('token', 'tokens', ...erp, '--expiring-in', '14d'))).toEqual([fresh])
    expect(idsOf(await list('token', 'tokens', ...erp, '--expiring-in', '12d'))).toEqual([])
    const everywhere = idsOf(await list('token', 'tokens', '--all', '--unused-for', '90d'))
    expect([everywhere.includes(idle), everywhere.includes(busy)]).toEqual([true, false])
    expect(await reasonOf('token', 'list', ...erp, '--unused-for', 'long')).toMatch(/^"long" is no duration/u)
  })

  it('shows how many scopes a token has, and all of them with `show`', async () => {
    const some = ['--scopes', 'crm_deals_read,crm_tasks_read']
    const shop = ['--application', String((await json('application', 'create', ...of, '--name', 'Kiosk')).id)]
    const { id } = await json('token', 'create', ...shop, '--name', 'Narrow', ...some)
    await json('token', 'create', ...shop, '--name', 'Wide', '--scopes', 'all')
    const lines = await text('token', 'list', ...shop)
    expect(lines).toMatch(/ Narrow +2 of \d+ /u)
    expect(lines).toMatch(/ Wide +all /u)
    expect(await text('application', 'show', String(shop[1]))).toMatch(/ Narrow +2 of \d+ /u)
    expect(await text('token', 'show', String(id))).toMatch(/\nscopes +crm_deals_read, crm_tasks_read\n/u)
  })
})
