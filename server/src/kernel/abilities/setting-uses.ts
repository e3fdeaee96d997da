import { columnOf, headColumn, headOf, headSettings, Lookup, parentColumn, type Resource } from '../record/index.ts'
import { claimedStatement } from '../sql/index.ts'
import type { Needs } from '../write/needs.ts'

/** The number of records or settings of one kind that refer to a setting. */
export interface SettingUse {
  /** `deals`, `checklist items` */
  readonly name: string
  readonly count: number
}

/** A setting to be removed. */
export interface UsedSetting {
  readonly kind: Resource
  readonly id: string
}

const feedBefore = Lookup.row(
  claimedStatement('read_feed_for_uses', 'select f.seq from organization_feed f where f.organization_id = $1'),
  [],
)

// Every write of records ends with an update of this row, so from here on none commits before this transaction does.
const feedHeld = Lookup.row(
  claimedStatement(
    'hold_feed_for_uses',
    'select f.seq from organization_feed f where f.organization_id = $1 for no key update',
  ),
  [],
)

/** What the working set of a mutation and the draft of settings have in common. */
interface Loaded {
  read<Value>(lookup: Lookup<Value>): Value
}

/**
 * Adds the counts of references to a setting to `needs`. Like `Mutation.needs`, it is called again after each round. If there are no
 * references, it locks the feed, so that no further write of records can commit. If the feed has grown since the count, a write has
 * committed meanwhile, and everything is counted again.
 */
export function needUses(needs: Needs, work: Loaded, setting: UsedSetting, kinds: readonly Resource[]): void {
  const uses = usesOf(setting, kinds)
  needs.toLoad(Lookup.rows(lockToRemove(setting.kind), [setting.id]), feedBefore, ...uses.map(({ count }) => count))
  const before = work.read(feedBefore)
  if (before === null || usesIn(work, setting, kinds).length > 0) return
  needs.toLoad(feedHeld)
  const held = work.read(feedHeld)
  if (held !== null && held.seq !== before.seq) needs.toLoad(...uses.map(({ countMeanwhile }) => countMeanwhile))
}

// Writers that assign a tag lock it before they update the feed. Its removal must do the same, or the two could deadlock.
function lockToRemove(setting: Resource) {
  const { kind, table } = setting
  const text = `select t.${headColumn(setting, 'id')} from ${table.name} t
    where t.organization_id = $1 and t.${headColumn(setting, 'id')} = $2 for update`
  return claimedStatement(`lock_${kind}_to_remove`, text)
}

/** The users of the setting, according to the last count. */
export function usesIn(work: Loaded, setting: UsedSetting, kinds: readonly Resource[]): readonly SettingUse[] {
  return usesOf(setting, kinds).flatMap(({ plural, count, countMeanwhile }) => {
    const uses = work.read(countMeanwhile) ?? work.read(count) ?? 0
    return uses === 0 ? [] : [{ name: plural, count: uses }]
  })
}

/** The counts of the users of the setting; undefined until they are counted. */
function usesOf({ kind, id }: UsedSetting, kinds: readonly Resource[]) {
  const counted = kinds.flatMap(holder => {
    const conditions = conditionsOf(holder, kind)
    if (conditions.length === 0) return []
    const text = `select count(*)::integer as count from ${holder.table.name} t
    where t.organization_id = $1 and (${conditions.join(' or ')})`
    return [{ plural: pluralOf(holder), ...counting(`${holder.kind}_with_${kind.kind}`, text) }]
  })
  return kind.kind === 'application' ? [...counted, { plural: 'external keys', ...counting(...keys) }] : counted

  /** $1 organization, $2 id of the setting. */
  function counting(name: string, text: string) {
    const counted = (suffix: string) =>
      new Lookup(claimedStatement(`count_${name}${suffix}`, text), [id], ([row]) => row && Number(row.count))
    return { count: counted(''), countMeanwhile: counted('_meanwhile') }
  }
}

const keys = [
  'keys_of_application',
  `select count(*)::integer as count from external_keys k
    where k.organization_id = $1 and k.application_id = $2::uuid`,
] as const

/** `deal activities`; for settings `lost reasons` */
function pluralOf({ plural, parent, isSetting }: Resource): string {
  return parent === null || isSetting ? plural.replaceAll('-', ' ') : `${parent.resource.kind} ${plural}`
}

/** SQL conditions under which a row `t` of a kind refers to the setting $2, one for each column. */
function conditionsOf(holder: Resource, { kind }: Resource): string[] {
  const fields = Object.entries(holder.fields).flatMap(
    ([name, field]) => field.namesSettings?.[kind]?.(`t.${columnOf(name, field)}`, holder.kind) ?? [],
  )
  const head = Object.keys(headOf(holder)).filter(member => headSettings[member] === kind)
  const authors = head.map(member => `t.${headColumn(holder, member)} = $2::uuid`)
  const parts = holder.parent?.resource.kind === kind ? [`t.${parentColumn(holder)} = $2::uuid`] : []
  return [...fields, ...authors, ...parts]
}
