import { beforeAll, describe, expect, it } from 'vitest'
import { useCommands } from '../../../../test/support/commands.ts'

const commands = useCommands({ serve: async () => 0, confirm: async () => false })
const json = (...words: string[]) => commands().json(...words)
const reasonOf = (...words: string[]) => commands().reasonOf(...words)
const text = async (...words: string[]) => (await commands().run(words)).out

const uuid = expect.stringMatching(/^[0-9a-f-]{36}$/u)
const linkTo = (page: string) =>
  expect.stringMatching(new RegExp(`^http://127\\.0\\.0\\.1:3000/cabinet/${page}#[\\w-]{43}$`, 'u'))

let organization: string
let of: readonly [string, string]
const ann = 'ann@acme.example'
const ben = 'ben@acme.example'

beforeAll(async () => {
  organization = String((await json('organization', 'create', '--name', 'Acme')).id)
  of = ['--organization', organization]
  await json('user', 'create', '--email', ann, '--name', 'Ann', ...of, '--role', 'owner')
})

describe('user', () => {
  it('create prints the id and a link to the page on which the person chooses a password', async () => {
    expect(await json('user', 'create', '--email', ben, '--name', 'Ben')).toEqual({ id: uuid, link: linkTo('join') })
    expect(await text('user', 'create', '--email', 'carl@acme.example', '--name', 'Carl')).toMatch(
      /^Created user [0-9a-f-]{36}\. The person chooses a password here, within 7 days:\nhttp\S+\/cabinet\/join#\S+\n$/u,
    )
    expect(await reasonOf('user', 'create', '--email', ann.toUpperCase(), '--name', 'A')).toBe(
      'another user has the e-mail address ANN@ACME.EXAMPLE',
    )
    expect(await reasonOf('user', 'create', '--email', 'ann', '--name', 'A')).toBe('"ann" is no e-mail address')
    expect(await reasonOf('user', 'create', '--email', 'dora@acme.example', '--name', 'D', '--role', 'owner')).toBe(
      '--role goes with --organization',
    )
    expect(
      await reasonOf('user', 'create', '--email', 'e@acme.example', '--name', 'E', ...of, '--role', 'boss'),
    ).toContain('It is one of owner, manager, member, read-only.')
  })

  it('list and show tell what an account has, and no secret of it', async () => {
    const { users } = await json('user', 'list')
    expect(users).toContainEqual(expect.objectContaining({ email: ann, name: 'Ann', active: true, organizations: 1 }))
    const shown = await json('user', 'show', ann.toUpperCase())
    expect(shown).toMatchObject({
      email: ann,
      proven: false,
      hasPassword: false,
      hasSecondFactor: false,
      memberships: [{ organizationId: organization, organization: 'Acme', role: 'owner' }],
      sessions: [],
    })
    expect(Object.keys(shown).filter(member => /hash|secret$/iu.test(member))).toEqual([])
    expect(await text('user', 'show', ann)).toContain('Acme')
    expect(await reasonOf('user', 'show', 'nobody@acme.example')).toBe('no such user: nobody@acme.example')
  })

  it('set changes address, name, state and proof, and removes a second factor', async () => {
    const { database } = commands().test
    await json('user', 'create', '--email', 'eve@acme.example', '--name', 'Eve')
    await database.script(`update users set totp_secret = 'sealed' where email = 'eve@acme.example'`)
    await json('user', 'set', 'eve@acme.example', '--email', 'eva@acme.example', '--name', 'Eva', '--proven')
    expect(await json('user', 'show', 'eva@acme.example')).toMatchObject({
      name: 'Eva',
      proven: true,
      hasSecondFactor: true,
    })
    await json('user', 'set', 'eva@acme.example', '--remove-second-factor', '--inactive')
    expect(await json('user', 'show', 'eva@acme.example')).toMatchObject({ hasSecondFactor: false, active: false })
    expect(await reasonOf('user', 'reset-link', 'eva@acme.example')).toContain('is not active')
    await json('user', 'set', 'eva@acme.example', '--active')
    expect(await json('user', 'show', 'eva@acme.example')).toMatchObject({ active: true })
    expect(await reasonOf('user', 'set', 'eva@acme.example')).toBe('nothing to change was given')
  })

  it('reset-link prints a link, and sign-out the number of sessions', async () => {
    expect(await json('user', 'reset-link', ben)).toMatchObject({ link: linkTo('reset') })
    expect(await json('user', 'sign-out', ben)).toEqual({ id: uuid, ended: 0 })
    expect(await text('user', 'reset-link', ben)).toMatch(/^http\S+\/cabinet\/reset#[\w-]{43}\n$/u)
  })

  it('remove takes the memberships along, and refuses the only owner', async () => {
    await json('user', 'create', '--email', 'fay@acme.example', '--name', 'Fay', ...of)
    await json('user', 'remove', 'fay@acme.example')
    expect(await reasonOf('user', 'show', 'fay@acme.example')).toContain('no such user')
    const { operators } = await json('operator', 'list', ...of)
    expect(operators).toContainEqual(expect.objectContaining({ email: 'fay@acme.example', active: false }))
    expect(await reasonOf('user', 'remove', ann)).toBe(
      `${ann} is the only owner of Acme: make another member one first`,
    )
  })
})

describe('member', () => {
  const roles = async () => {
    const { members } = await json('member', 'list', ...of)
    if (!Array.isArray(members)) throw new Error('no list')
    return members.map(({ email, role }) => `${email} ${role}`)
  }

  it('add, set, list and remove', async () => {
    const added = await json('member', 'add', ben, ...of, '--role', 'read-only')
    expect(added).toEqual({ id: uuid })
    expect(await roles()).toEqual([`${ann} owner`, `${ben} read_only`])
    expect(await json('member', 'set', ben, ...of, '--role', 'manager')).toEqual(added)
    expect(await text('member', 'list', ...of)).toMatch(/manager/u)
    expect(await json('member', 'remove', ben, ...of)).toEqual(added)
    expect(await roles()).toEqual([`${ann} owner`])
    expect(await reasonOf('member', 'remove', ben, ...of)).toContain('is no member of the organization')
    expect(await reasonOf('member', 'remove', ann, ...of)).toContain('the organization needs an owner')
  })

  it('takes an organization by its name', async () => {
    expect(await text('member', 'list', '--organization', 'Acme')).toContain(ann)
  })

  it('are audited as the changes of a command', async () => {
    const { entries } = await json('audit', 'list', ...of, '--resource', 'membership')
    expect(entries).toContainEqual(
      expect.objectContaining({ resourceType: 'membership', commandUser: expect.any(String) }),
    )
  })
})

describe('the application that stands for the cabinet', () => {
  it('is in no list and no report', async () => {
    expect(await json('application', 'list', ...of)).toEqual({ applications: [] })
    expect(JSON.stringify(await json('usage', ...of))).not.toContain('Cabinet')
    expect(await reasonOf('application', 'show', 'Cabinet', ...of)).toContain('no such application')
    expect(await text('doctor')).not.toContain('Cabinet')
  })
})

describe('demo link', () => {
  it('signs in as the owner of the demo organization', async () => {
    expect(await reasonOf('demo', 'link')).toContain('run "demo reset"')
    await json('demo', 'reset', '--yes')
    expect(await json('demo', 'link')).toEqual({ url: linkTo('enter') })
    const { members } = await json('member', 'list', '--organization', 'Demo organization')
    expect(members).toMatchObject([{ role: 'owner' }, { role: 'manager' }, { role: 'member' }])
    await json('demo', 'reset')
    expect(await json('demo', 'link')).toEqual({ url: linkTo('enter') })
  })
})
