import { columnOf } from '../record/codec.ts'
import type { Resource } from '../record/resource.ts'
import type { Secret } from '../secret.ts'
import { type Database, type Statement, statement } from '../sql/index.ts'

/** What became of the secrets of an organization that were not encrypted with the current key. */
export interface EncryptedAgain {
  readonly encrypted: number
  /** Those that none of the keys decrypts. They stay as they are. */
  readonly unreadable: number
}

/** A few milliseconds of work. */
const portion = 100

const beforeAll = '00000000-0000-0000-0000-000000000000'

/**
 * Encrypts the secrets of an organization with the current key, in portions, each on its own: whatever interrupts it, the next time
 * goes on with what is left. A secret that is changed at the same time stays as it was changed.
 */
export async function encryptAgain(
  resources: readonly Resource[],
  organizationId: string,
  parts: { readonly database: Database; readonly secret: Secret },
): Promise<EncryptedAgain> {
  let [encrypted, unreadable] = [0, 0]
  for (const resource of resources) {
    for (const column of secretColumns(resource)) {
      const done = await encryptColumn(resource, column, organizationId, parts)
      encrypted += done.encrypted
      unreadable += done.unreadable
    }
  }
  return { encrypted, unreadable }
}

function secretColumns({ fields }: Resource): string[] {
  return Object.entries(fields).flatMap(([name, field]) => (field.isSecret ? [columnOf(name, field)] : []))
}

async function encryptColumn(
  resource: Resource,
  column: string,
  organizationId: string,
  { database, secret: { keyring } }: { readonly database: Database; readonly secret: Secret },
): Promise<EncryptedAgain> {
  const { select, update } = statementsOf(resource, column)
  let [encrypted, unreadable] = [0, 0]
  for (let last = beforeAll; ; ) {
    const rows = await database.search(select, [organizationId, keyring.currentPrefix, last, portion])
    const changes = rows.flatMap(({ id, stored }) => {
      const place = { organizationId, kind: resource.kind, recordId: String(id) }
      const text = keyring.decrypt(String(stored), place)
      return text === null ? [] : [{ id, before: stored, after: keyring.encrypt(text, place) }]
    })
    unreadable += rows.length - changes.length
    const lists = [changes.map(({ id }) => id), changes.map(({ before }) => before), changes.map(({ after }) => after)]
    encrypted += (await database.query(update, [organizationId, ...lists])).length
    const end = rows.at(-1)
    if (end === undefined) return { encrypted, unreadable }
    last = String(end.id)
  }
}

const compiled = new Map<string, { readonly select: Statement; readonly update: Statement }>()

function statementsOf({ kind, table: { name } }: Resource, column: string) {
  const known = compiled.get(`${kind} ${column}`)
  if (known !== undefined) return known
  const made = {
    select: statement(
      `select_${kind}_${column}_to_encrypt`,
      `select t.id, t.${column} as stored
         from ${name} t
        where t.organization_id = $1 and t.${column} is not null and not starts_with(t.${column}, $2) and t.id > $3::uuid
        order by t.id limit $4`,
    ),
    update: statement(
      `encrypt_${kind}_${column}`,
      `update ${name} t
          set ${column} = changed.after
         from unnest($2::uuid[], $3::text[], $4::text[]) as changed(id, before, after)
        where t.organization_id = $1 and t.id = changed.id and t.${column} = changed.before
       returning t.id`,
    ),
  }
  compiled.set(`${kind} ${column}`, made)
  return made
}
