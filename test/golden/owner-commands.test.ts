import { expect, test } from 'vitest'
import { administered } from '../../server/src/entrypoints/cli/administered.ts'
import { isObject, type JsonObject } from '../../server/src/kernel/schema/index.ts'
import { organizationControls, tokenControls, webhookControls } from '../../server/src/settings/index.ts'
import { wholeProgram } from './commands.ts'
import { roleRows } from './role-table.ts'

/** The operations of a kind of settings, by the words of its commands. */
const settings = (group: string) => ({
  list: [`settings.${group}.list`],
  show: [`settings.${group}.get`],
  create: [`settings.${group}.create`],
  set: [`settings.${group}.update`],
  remove: [`settings.${group}.delete`],
})

/** What protects others, or is about the whole installation, is for its operator alone. */
const operator = 'operator' as const

/** For each command the operations of the cabinet with which an owner does the same. */
const commands = {
  serve: operator,
  migrate: operator,
  doctor: operator,
  demo: { reset: operator, token: operator, link: operator },
  maintenance: { run: operator },
  backup: { '': operator, verify: operator },
  restore: operator,
  feed: { 'new-epoch': operator, 'keep-epoch': operator },
  job: {
    list: ['jobs.list'],
    show: ['bulkJobs.get', 'exports.get', 'imports.get'],
    // The queue belongs to the installation.
    retry: operator,
    cancel: ['bulkJobs.cancel', 'exports.cancel', 'imports.cancel'],
    undo: ['imports.undo'],
  },
  request: { show: ['requests.get'] },
  usage: ['settings.usage.get'],
  audit: { list: ['audit.list'] },
  organization: {
    list: operator,
    show: ['settings.organization.get'],
    create: operator,
    set: ['settings.organization.update'],
    // It writes to the disk of the server.
    export: operator,
    import: operator,
    remove: operator,
  },
  user: {
    create: operator,
    list: operator,
    show: operator,
    set: operator,
    remove: operator,
    'reset-link': operator,
    'sign-out': operator,
  },
  member: {
    add: ['members.invite'],
    set: ['members.update'],
    remove: ['members.remove', 'members.cancelInvitation'],
    list: ['members.list'],
  },
  application: settings('applications'),
  token: {
    ...settings('tokens'),
    metrics: operator,
    rotate: ['settings.tokens.rotate'],
    revoke: ['settings.tokens.revoke'],
  },
  webhook: {
    ...settings('webhooks'),
    set: ['settings.webhooks.update', 'settings.webhooks.move'],
    pause: ['settings.webhooks.pause'],
    resume: ['settings.webhooks.resume'],
    rotate: ['settings.webhooks.rotate'],
    test: ['settings.webhooks.test'],
    log: ['settings.webhooks.deliveries'],
    replay: ['settings.webhooks.replay', 'settings.webhooks.cancelReplay'],
  },
  // What the program knows, and no organization has.
  scopes: operator,
  operator: settings('operators'),
  pipeline: settings('pipelines'),
  stage: settings('stages'),
  'lost-reason': settings('lostReasons'),
  channel: settings('channels'),
  tag: settings('tags'),
  integration: { test: ['apiIntegrations.test'] },
  secret: { rotate: operator },
  'custom-field': settings('customFields'),
  knowledge: { search: ['knowledgeBases.search'] },
  completion: operator,
}

type Answer = typeof operator | readonly string[]

const isAnswer = (value: unknown): value is Answer => value === operator || Array.isArray(value)

const answers = Object.entries(commands).flatMap(([word, of]): [string, Answer][] =>
  isAnswer(of) ? [[word, of]] : Object.entries(of).map(([child, answer]) => [`${word} ${child}`.trim(), answer]),
)

test('each command is the operator’s, or an owner can do the same in the cabinet', async () => {
  const { commands: programs } = await wholeProgram()
  const names = programs.flatMap(command => {
    const children = command.commands.map(child => `${command.name()} ${child.name()}`)
    const runs = children.length === 0 || command.name() === 'backup'
    return runs ? [command.name(), ...children] : children
  })
  expect(answers.map(([name]) => name).toSorted()).toEqual(names.toSorted())
  const ofOwner = roleRows.filter(({ roles }) => roles.includes('owner')).map(({ operation }) => operation.id)
  const needed = answers.flatMap(([, answer]) => (answer === operator ? [] : answer))
  expect(needed.filter(id => !ofOwner.includes(id))).toEqual([])
})

const membersOf = (id: string) => {
  const body = roleRows.find(({ operation }) => operation.id === id)?.operation.body
  const schema = body && 'schema' in body ? body.schema : undefined
  const properties: JsonObject = isObject(schema) && isObject(schema.properties) ? schema.properties : {}
  return Object.keys(properties)
}

const kinds = [
  ...administered.map(({ kind, controls }) => ({
    group: kind.plural.replaceAll(/-(\w)/gu, (_, letter: string) => letter.toUpperCase()),
    controls,
  })),
  { group: 'organization', controls: { create: [], set: organizationControls.set } },
  { group: 'tokens', controls: tokenControls },
  { group: 'webhooks', controls: webhookControls },
]

test.each(kinds)('what commands set of $group for an owner, the cabinet sets, too', ({ group, controls }) => {
  const named = ({ name }: { readonly name: string }) => (name === 'expiresIn' ? 'expiresInSeconds' : name)
  const ofOwners = (some: typeof controls.set) => some.filter(({ by }) => by === 'owner').map(named)
  const [create, update, move] = ['create', 'update', 'move'].map(word => membersOf(`settings.${group}.${word}`))
  expect(ofOwners(controls.create).filter(name => !create?.includes(name))).toEqual([])
  expect(ofOwners(controls.set).filter(name => !update?.includes(name) && !move?.includes(name))).toEqual([])
})
