import { beforeAll, describe, expect, it } from 'vitest'
import { useCommands } from '../../../../test/support/commands.ts'
import { isObject, type JsonObject } from '../../kernel/schema/index.ts'

const commands = useCommands({ serve: async () => 0, confirm: async () => false })
const json = (...words: string[]) => commands().json(...words)
const reasonOf = (...words: string[]) => commands().reasonOf(...words)
const text = async (...words: string[]) => (await commands().run(words)).out

const uuid = expect.stringMatching(/^[0-9a-f-]{36}$/u)
const time = expect.stringMatching(/Z$/u)
const head = { version: 1, createdAt: time, updatedAt: time }

let organization: string
let application: string
let of: readonly [string, string]
const ids: Record<string, string> = {}

beforeAll(async () => {
  organization = String((await json('organization', 'create', '--name', 'Acme')).id)
  of = ['--organization', organization]
  application = String((await json('application', 'create', ...of, '--name', 'ERP')).id)
  const granted = ['--scopes', 'crm_deals_read', '--cidr', '10.0.0.0/8']
  ids.token = String((await json('token', 'create', '--application', application, '--name', 'Sync', ...granted)).id)
  ids.operator = String((await json('operator', 'create', ...of, '--name', 'Ann', '--email', 'ann@acme.example')).id)
  const stages = ['--stage', 'In:open', 'Won:won', 'Lost:lost']
  ids.pipeline = String((await json('pipeline', 'create', ...of, '--name', 'Renewals', ...stages)).id)
  ids.reason = String((await json('lost-reason', 'create', ...of, '--name', 'Late', '--pipeline', ids.pipeline)).uuid)
  ids.tag = String((await json('tag', 'create', ...of, '--name', 'VIP', '--color', '#00FF00')).id)
  const choice = ['--type', 'select', '--option', 'north=Far north', '--option', 'south']
  await json('custom-field', 'create', ...of, '--kind', 'contact', '--key', 'region', '--label', 'Region', ...choice)
})

async function list(word: string, part: string, ...where: string[]): Promise<readonly JsonObject[]> {
  const { [part]: records, ...rest } = await json(word, 'list', ...where)
  expect(rest).toEqual({})
  return Array.isArray(records) ? records.filter(isObject) : []
}

const names = (records: readonly JsonObject[]) => records.map(({ name }) => name)

describe('list and show', () => {
  it('give organizations', async () => {
    const shown = await json('organization', 'show', organization)
    expect(shown).toMatchObject({ id: organization, name: 'Acme', crmProvider: 'built_in', sandbox: false })
    expect(await list('organization', 'organizations')).toContainEqual(shown)
  })

  it('show the quota of files of an organization, which `organization set` changes', async () => {
    const quota = async () => {
      const { fileQuotaBytes, fileBytes } = await json('organization', 'show', organization)
      return [fileQuotaBytes, fileBytes]
    }
    expect(await quota()).toEqual([40 * 1024 ** 3, 0])
    expect(await json('organization', 'set', organization, '--quota', '512MiB')).toMatchObject({
      fileQuotaBytes: 512 * 1024 ** 2,
    })
    expect(await quota()).toEqual([512 * 1024 ** 2, 0])
    const size = 'is no size: write a number and KiB, MiB, GiB, TiB, such as 40GiB'
    expect(await reasonOf('organization', 'set', organization, '--quota', 'much')).toBe(`"much" ${size}`)
    await json('organization', 'set', organization, '--quota', '40GiB')
  })

  it('give applications, and show their tokens', async () => {
    const shown = { id: application, organizationId: organization, name: 'ERP', rateRead: 600, rateWrite: 120 }
    expect(await list('application', 'applications', ...of)).toEqual([{ ...shown, enabled: true, ...head }])
    expect(await json('application', 'show', application)).toMatchObject({ ...shown, tokens: [{ id: ids.token }] })
  })

  it('give tokens with application, scopes, networks and expiry, and no secret', async () => {
    const shown = {
      id: ids.token,
      recordId: uuid,
      applicationId: application,
      application: 'ERP',
      name: 'Sync',
      scopes: ['crm_deals_read'],
      cidrs: ['10.0.0.0/8'],
      expiresAt: null,
      revokedAt: null,
      rotatedFrom: null,
      lastUsedAt: null,
      lastUsedIp: null,
      lastRefusedAt: null,
      lastRefusedIp: null,
      lastRefusedReason: null,
      ...head,
    }
    expect(await list('token', 'tokens', ...of)).toEqual([shown])
    expect(await list('token', 'tokens', '--application', application)).toEqual([shown])
    expect(await json('token', 'show', String(ids.token))).toEqual({ organizationId: organization, ...shown })
  })

  it('give when and from where a token was last used', async () => {
    const { id } = await json('token', 'create', '--application', application, '--name', 'Used', '--scopes', 'all')
    const use = `update api_tokens set last_used_at = '2026-03-01T08:00:00Z', last_used_ip = '192.0.2.7' where id = $1 returning 1`
    await commands().one(use, id)
    const used = { lastUsedAt: '2026-03-01T08:00:00.000Z', lastUsedIp: '192.0.2.7' }
    expect(await json('token', 'show', String(id))).toMatchObject(used)
    expect(await list('token', 'tokens', ...of)).toContainEqual(expect.objectContaining({ id, ...used }))
  })

  it('give why, when and from where a token was last refused', async () => {
    const { id } = await json('token', 'create', '--application', application, '--name', 'Old', '--scopes', 'all')
    const refuse = `update api_tokens set last_refused_at = '2026-03-01T08:00:00Z', last_refused_ip = '192.0.2.7',
        last_refused_reason = 'network' where id = $1 returning 1`
    await commands().one(refuse, id)
    const refused = { lastRefusedAt: '2026-03-01T08:00:00.000Z', lastRefusedIp: '192.0.2.7' }
    expect(await json('token', 'show', String(id))).toMatchObject({ ...refused, lastRefusedReason: 'network' })
    expect(await text('token', 'show', String(id))).toMatch(/\nlast refused reason +network\n/u)
    expect(await text('token', 'list', ...of)).not.toContain('refused')
  })

  it('give operators, lost reasons and tags', async () => {
    const operator = { id: ids.operator, name: 'Ann', email: 'ann@acme.example', active: true }
    expect(await list('operator', 'operators', ...of)).toMatchObject([operator])
    expect(await json('operator', 'show', String(ids.operator))).toMatchObject(operator)
    const reason = { id: ids.reason, name: 'Late', pipelineId: ids.pipeline, active: true }
    expect(await list('lost-reason', 'lostReasons', ...of)).toContainEqual(expect.objectContaining(reason))
    expect(await json('lost-reason', 'show', String(ids.reason))).toMatchObject(reason)
    const tag = { id: ids.tag, name: 'VIP', color: '#00FF00', kinds: ['contact', 'company', 'deal', 'task'] }
    expect(await list('tag', 'tags', ...of)).toMatchObject([tag])
    expect(await json('tag', 'show', String(ids.tag))).toMatchObject(tag)
  })

  it('give pipelines with their stages, and stages of one pipeline or of all', async () => {
    expect(names(await list('pipeline', 'pipelines', ...of))).toEqual(['Sales', 'Renewals'])
    const stages = [
      { name: 'In', type: 'open', position: 0, archived: false },
      { name: 'Won', type: 'won', position: 1 },
      { name: 'Lost', type: 'lost', position: 2 },
    ]
    const shown = await json('pipeline', 'show', String(ids.pipeline))
    expect(shown).toMatchObject({ id: ids.pipeline, name: 'Renewals', isDefault: false, stages })
    expect(await list('stage', 'stages', '--pipeline', String(ids.pipeline))).toMatchObject(stages)
    expect(await list('stage', 'stages', ...of)).toHaveLength(9)
  })

  it('give custom fields, which kind and key name too', async () => {
    const [field] = await list('custom-field', 'customFields', ...of)
    const options = [
      { key: 'north', label: 'Far north' },
      { key: 'south', label: 'south' },
    ]
    expect(field).toMatchObject({ id: uuid, kind: 'contact', key: 'region', label: 'Region', type: 'select', options })
    expect(await json('custom-field', 'show', String(field?.id))).toEqual(field)
    expect(await json('custom-field', 'show', 'contact.region', ...of)).toEqual(field)
  })

  it('are tables for people', async () => {
    const lines = (await text('operator', 'list', ...of)).split('\n')
    expect(lines[0]).toMatch(/^id {36}name {2}email {13}active$/u)
    expect(lines[1]).toBe(`${ids.operator}  Ann   ann@acme.example  yes`)
    const field = await text('custom-field', 'list', ...of)
    expect(field).toContain('north=Far north, south=south')
    const sheet = await text('pipeline', 'show', String(ids.pipeline))
    expect(sheet).toMatch(/\nname +Renewals\nis default +no\n/u)
    expect(sheet).toMatch(/\n\nstages\nid +pipeline id +name +type +position +archived\n/u)
    const other = String((await json('organization', 'create', '--name', 'Empty')).id)
    expect(await text('tag', 'list', '--organization', other)).toBe('There are no tags.\n')
  })

  it('are refused for an unknown setting, and without an organization', async () => {
    const unknown = '00000000-0000-4000-8000-000000000000'
    expect(await reasonOf('tag', 'list')).toBe('--organization is missing: see organization list')
    expect(await reasonOf('tag', 'list', '--organization', unknown)).toBe(`no such organization: ${unknown}`)
    expect(await reasonOf('stage', 'list', '--pipeline', 'x')).toBe('no such pipeline: x')
    expect(await reasonOf('lost-reason', 'show', unknown)).toBe(`no such lost reason: ${unknown}: see lost-reason list`)
    expect(await reasonOf('custom-field', 'show', 'contact.color', ...of)).toBe(
      'no such custom field: contact.color: see custom-field list',
    )
    expect(await reasonOf('organization', 'show', 'x')).toBe('no such organization: x: see organization list')
  })
})

describe('scopes', () => {
  it('are listed with their meaning, and all stands for them', async () => {
    const { scopes } = await json('scopes')
    const listed = Array.isArray(scopes) ? scopes.filter(isObject) : []
    const allows = (scope: string) => listed.find(each => each.scope === scope)?.allows
    expect(allows('crm_deals_read')).toEqual(expect.arrayContaining(['deals.list', 'changes of the kind deal']))
    expect(allows('crm_amounts_read')).toContain('reads amounts')
    expect(allows('crm_amounts_write')).toContain('writes deal.amount')
    expect(allows('ai_products_manage')).toContain('productsSets.create')
    const all = await json('token', 'create', '--application', application, '--name', 'All', '--scopes', 'all')
    expect(all.scopes).toEqual(listed.map(({ scope }) => scope))
    expect(await text('scopes')).toMatch(/^scope +allows\ncrm_contacts_read +contacts\.list, /u)
  })
})

describe('set', () => {
  it('renames and changes an organization, which may stand behind the word', async () => {
    await json('organization', 'set', organization, '--name', 'Acme Ltd')
    expect(await json('organization', 'show', organization)).toMatchObject({ name: 'Acme Ltd' })
    expect(await reasonOf('organization', 'set', '--name', 'x')).toBe('which organization: see organization list')
  })

  it('changes the networks, scopes, name and expiry of a token', async () => {
    const id = String(ids.token)
    const change = ['--name', 'Nightly', '--scopes', 'crm_deals_write,crm_deals_read', '--cidr', '192.0.2.1']
    await json('token', 'set', id, ...change, '--expires-in', '30d')
    const changed = { name: 'Nightly', scopes: ['crm_deals_read', 'crm_deals_write'], cidrs: ['192.0.2.1'] }
    expect(await json('token', 'show', id)).toMatchObject({ ...changed, expiresAt: time, version: 2 })
    await json('token', 'set', id, '--no-cidr', '--no-expires-in')
    expect(await json('token', 'show', id)).toMatchObject({ cidrs: [], expiresAt: null })
    expect(await reasonOf('token', 'set', id, '--expires-in', '0s')).toBe('a token is valid for some time')
    const { id: ended } = await json('token', 'create', '--application', application, '--name', 'x', '--scopes', 'all')
    await json('token', 'revoke', String(ended))
    const reason = /^the token was revoked at \d{4}-\S+Z$/u
    expect(await reasonOf('token', 'set', String(ended), '--name', 'y')).toMatch(reason)
    expect(await reasonOf('token', 'revoke', String(ended))).toMatch(reason)
  })

  it('changes applications, operators, lost reasons and tags', async () => {
    await json('application', 'set', application, '--name', 'ERP 2')
    expect(await json('application', 'show', application)).toMatchObject({ name: 'ERP 2' })
    const operator = String(ids.operator)
    await json('operator', 'set', operator, '--name', 'Anna', '--email', 'anna@acme.example', '--inactive')
    const anna = { name: 'Anna', email: 'anna@acme.example', active: false }
    expect(await json('operator', 'show', operator)).toMatchObject(anna)
    await json('lost-reason', 'set', String(ids.reason), '--name', 'Too late', '--inactive')
    const reason = { name: 'Too late', active: false }
    expect(await json('lost-reason', 'show', String(ids.reason))).toMatchObject(reason)
    await json('tag', 'set', String(ids.tag), '--name', 'Key', '--no-color')
    expect(await json('tag', 'show', String(ids.tag))).toMatchObject({ name: 'Key', color: null })
  })

  it('changes a pipeline, and which one is the default', async () => {
    const [sales] = await list('pipeline', 'pipelines', ...of)
    const change = ['--name', 'Renewed', '--default', '--lost-reason-optional']
    await json('pipeline', 'set', String(ids.pipeline), ...change)
    const changed = { name: 'Renewed', isDefault: true, lostReasonRequired: false }
    expect(await json('pipeline', 'show', String(ids.pipeline))).toMatchObject(changed)
    expect(await json('pipeline', 'show', String(sales?.id))).toMatchObject({ isDefault: false })
  })

  it('adds, renames, moves and archives stages', async () => {
    const pipeline = ['--pipeline', String(ids.pipeline)]
    const first = await json('stage', 'create', ...pipeline, '--name', 'Due', '--type', 'open', '--position', '0')
    await json('stage', 'create', ...pipeline, '--name', 'Last', '--type', 'lost')
    const stages = async () => list('stage', 'stages', ...pipeline)
    expect(names(await stages())).toEqual(['Due', 'In', 'Won', 'Lost', 'Last'])
    await json('stage', 'set', String(first.uuid), '--name', 'Soon', '--position', '2')
    expect(names(await stages())).toEqual(['In', 'Won', 'Soon', 'Lost', 'Last'])
    expect((await stages()).map(({ position }) => position)).toEqual([0, 1, 2, 3, 4])
    await json('stage', 'set', String(first.uuid), '--archived', '--position', '99')
    expect(names(await stages())).toEqual(['In', 'Won', 'Lost', 'Last', 'Soon'])
    expect((await stages()).at(-1)).toMatchObject({ archived: true })
    const place = 'the place of a stage is a whole number from 0'
    expect(await reasonOf('stage', 'set', String(first.uuid), '--position', 'x')).toBe(place)
  })

  it('changes a custom field, whose options stay', async () => {
    const field = ['custom-field', 'set', 'contact.region', ...of]
    await json(...field, '--label', 'Area', '--required', '--option', 'south=S', 'north', 'west')
    const [label, keys] = ['Area', ['south', 'north', 'west']]
    const shown = await json('custom-field', 'show', 'contact.region', ...of)
    expect(shown).toMatchObject({ label, required: true, options: keys.map(key => ({ key })) })
    expect(await reasonOf(...field, '--option', 'south', 'west')).toBe('the option north stays: records may have it')
    await json('custom-field', 'create', ...of, '--kind', 'deal', '--key', 'due', '--type', 'date')
    const due = ['custom-field', 'set', 'deal.due', ...of]
    expect(await reasonOf(...due, '--option', 'a')).toBe('a custom field of the type date has no options')
    await json(...field, '--optional')
    expect(await json('custom-field', 'show', 'contact.region', ...of)).toMatchObject({ required: false })
  })
})

describe('a name that another has', () => {
  const other = { application: ['--name', 'Shop'], tag: ['--name', 'Gold'] }

  it('is refused for applications that are enabled', async () => {
    const { id } = await json('application', 'create', ...of, ...other.application)
    expect(await reasonOf('application', 'set', application, '--name', 'shop')).toBe(
      'another application is named shop',
    )
    await json('application', 'set', String(id), '--disabled')
    await json('application', 'create', ...of, ...other.application)
    const taken = 'another application is named Shop'
    expect(await reasonOf('application', 'set', String(id), '--enabled')).toBe(taken)
    await json('application', 'set', String(id), '--rate-read', '7')
  })

  it('is refused for tags, pipelines and custom fields of a kind', async () => {
    await json('tag', 'create', ...of, ...other.tag)
    expect(await reasonOf('tag', 'set', String(ids.tag), '--name', 'GOLD')).toBe('another tag is named GOLD')
    const taken = 'another pipeline is named sales'
    expect(await reasonOf('pipeline', 'set', String(ids.pipeline), '--name', 'sales')).toBe(taken)
    const field = ['custom-field', 'create', ...of, '--key', 'area', '--type', 'text', '--label', 'AREA', '--kind']
    expect(await reasonOf(...field, 'contact')).toBe('another custom field of the kind contact is labelled AREA')
    await json(...field, 'company')
  })

  it('is refused for stages that are not archived', async () => {
    const add = ['stage', 'create', '--pipeline', String(ids.pipeline), '--type', 'open', '--name']
    expect(await reasonOf(...add, 'IN')).toBe('another stage is named IN')
    await json(...add, 'Soon')
  })
})
