import { explainingFolder } from '@crm-server/embedded-postgres'
import { demoLink, demoToken, ensureDemo, findDemoOwner } from '../demo/index.ts'
import type { Hold } from '../kernel/index.ts'
import { type Database, statement } from '../kernel/sql/index.ts'
import { createFirstLink, linkAddress } from '../people/index.ts'
import { cabinetAddress } from './cabinet-address.ts'
import type { Config } from './config.ts'
import type { Installation } from './installation.ts'
import { type Role, type StartHooks, serve } from './serve.ts'
import { serveProcesses } from './serve-processes.ts'

/** Where messages for the operator go. A token or link is shown only to a person, never written to a file or log. */
interface Output {
  readonly isTTY?: boolean
  write(text: string): unknown
}

const selectAny = statement('select_any_organization', 'select exists (select 1 from organizations) as found')

async function hasOrganizations(database: Database): Promise<boolean> {
  const [row] = await database.query(selectAny, [])
  return row?.found === true
}

const selectAnyUser = statement('select_any_user', 'select exists (select 1 from users) as found')

async function hasUsers(database: Database): Promise<boolean> {
  const [row] = await database.query(selectAnyUser, [])
  return row?.found === true
}

const firstOrganization = (command: string) => `
There is no organization yet, so every request is refused. Create one, then an application and a token of it:
  ${command} organization create --name NAME
  ${command} application create --organization ID --name NAME
  ${command} token create --application ID --name NAME --scopes all
`

/**
 * Runs the server, or the part of it that `role` names, until a signal, and resolves to the exit status. On the embedded database the first
 * start creates the demo organization. `holdGroups` is for tests: each group of writes awaits it.
 */
export async function serveWithDemo(
  config: Config,
  { role, processes }: { readonly role: Role; readonly processes: number },
  output: Output,
  holdGroups: Hold | null = null,
): Promise<number> {
  const hooks = hooksFor(config, output)
  if (processes === 1) return serve(config, role, { ...hooks, holdGroups })
  return serveProcesses(config, { processes, worksOnJobs: role === 'all' }, hooks)
}

/**
 * The link that lets somebody in: as the active owner of the demo organization, or, as long as there is neither a user nor an organization,
 * as the owner of one to be founded. Without a terminal, or where there are organizations, how to get one. null if there are users.
 */
async function invitationOf(installation: Installation, listening: string, { isTTY }: Output): Promise<string | null> {
  const { config } = installation
  const { command } = config
  const address = cabinetAddress(config, listening)
  if (config.databaseUrl === undefined && (await findDemoOwner(installation)) !== null) {
    const link = isTTY === true ? await demoLink(installation, address) : `${command} demo link`
    return `Sign in as the owner of the demo organization (once, within 30 minutes):\n  ${link}`
  }
  // An organization that has no user yet needs its first one; a link would found another organization.
  if (isTTY !== true || (await hasOrganizations(installation.database)))
    return (await hasUsers(installation.database)) ? null : firstUser(command)
  const first = await createFirstLink(installation)
  if (first === null) return null
  const link = linkAddress(address, 'first', first.text)
  return `Found the first organization and sign in as its owner (once, within 30 minutes):\n  ${link}`
}

const firstUser = (command: string) => `Nobody can sign in yet. Create a user, who gets a link:
  ${command} user create --email ADDRESS --name NAME --organization ID --role owner`

function hooksFor(config: Config, output: Output): StartHooks {
  const { databaseUrl, dataDirectory, command } = config
  const print = (text: string) => void output.write(`${text}\n`)
  return {
    async beforeStart(installation) {
      if (databaseUrl !== undefined) return
      // The token may be in a file that a command of another user has written.
      await explainingFolder(dataDirectory, () => ensureDemo({ ...installation, dataDirectory }))
    },
    async afterStart(installation, address) {
      const { database } = installation
      if (address === null) return print('CRM worker ready')
      // People click on addresses in terminals, so the first one is a page for people.
      const invitation = config.cabinet ? await invitationOf(installation, address, output) : null
      if (invitation !== null) print(`${invitation}\n`)
      print(`CRM server ready: ${address}/reference`)
      print(`  API:        ${address}/api/v1/crm`)
      if (!(await hasOrganizations(database))) print(firstOrganization(command))
      const token = databaseUrl === undefined ? await demoToken(dataDirectory) : null
      if (token === null) return
      const shown = output.isTTY === true ? token : `$(${command} demo token)`
      if (output.isTTY === true) print(`  demo token: ${token}`)
      print(`\nTry it:\n  curl -H "Authorization: Bearer ${shown}" "${address}/api/v1/crm/contacts?limit=3"\n`)
    },
  }
}
