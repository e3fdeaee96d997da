import { describe, expect, it } from 'vitest'
import { refused } from '../../../test/support/decisions.ts'
import { application } from './application.ts'
import { customField } from './custom-field.ts'
import { lostReason } from './lost-reason.ts'
import { operator } from './operator.ts'
import { organizationRules } from './organization.ts'
import { pipeline, stage } from './pipeline.ts'
import { settleAmong } from './setting.rules.ts'
import type { Setting } from './setting.ts'
import { tag } from './tag.ts'

const rulesOf = ({ distinction }: Setting) => ({
  settle: <S extends Readonly<Record<string, unknown>>>(next: S, context: ReturnType<typeof among<S>>) =>
    settleAmong(distinction, next, context),
})

/** What rules see of a change that leaves the siblings as they are. */
function among<State>(siblings: readonly State[], previous: State | null = null, input: Record<string, unknown> = {}) {
  return { previous, input, siblings: () => siblings }
}

const taken = (path: string) => [422, 'validation_error', `${path} unique`]

describe('the currencies of an organization', () => {
  const stored = { name: 'Test', defaultCurrency: 'EUR', currencies: ['USD', 'EUR', 'JPY'] }

  it('begin with the default one, which is enabled however they are sent', () => {
    const settled = (currencies: string[]) =>
      organizationRules.settle({ ...stored, currencies }, among([], stored, { currencies }))
    expect(settled(['USD', 'EUR', 'JPY'])).toEqual({ ...stored, currencies: ['EUR', 'USD', 'JPY'] })
    expect(settled(['JPY']).currencies).toEqual(['EUR', 'JPY'])
    expect(organizationRules.settle({ ...stored, currencies: [] }, among([])).currencies).toEqual(['EUR'])
  })

  it('stay as they are when a change is about something else', () => {
    const next = { ...stored, name: 'Renamed' }
    expect(organizationRules.settle(next, among([], stored, { name: 'Renamed' }))).toBe(next)
  })
})

describe('an operator', () => {
  const ann = { id: 'a', email: 'ann@example.com' }
  const bob = { id: 'b', email: 'bob@example.com' }

  it('has an e-mail address that no other one has, in whatever case', () => {
    expect(rulesOf(operator).settle(ann, among([ann, bob], ann))).toBe(ann)
    expect(refused(rulesOf(operator).settle({ id: 'c', email: 'Bob@Example.com' }, among([ann, bob])))).toEqual(
      taken('/email'),
    )
  })
})

const named = (id: string, name: string) => ({ id, name, enabled: true, archived: false, pipelineId: 'p', position: 0 })

/** What the rules of these kinds have in common. */
interface Rules {
  settle(next: ReturnType<typeof named>, context: ReturnType<typeof among<ReturnType<typeof named>>>): unknown
}

// The same promise for each kind whose settings are told apart by their names.
const kinds: readonly { readonly kind: string; readonly rules: Rules }[] = [
  { kind: 'application', rules: rulesOf(application) },
  { kind: 'tag', rules: rulesOf(tag) },
  { kind: 'pipeline', rules: rulesOf(pipeline) },
  { kind: 'stage', rules: rulesOf(stage) },
]

describe.each(kinds)('the name of $kind', ({ kind, rules }) => {
  const [old, other] = [named('1', 'Old'), named('2', 'Other')]

  it('is one that no other has, in whatever case', () => {
    const refusal = rules.settle(named('3', 'OTHER'), among([old, other]))
    expect(refused(refusal)).toEqual(taken('/name'))
    expect(refusal).toMatchObject({ details: { issues: [{ message: `another ${kind} is named OTHER` }] } })
    expect(refused(rules.settle({ ...old, name: 'Other' }, among([old, other], old)))).toEqual(taken('/name'))
    expect(rules.settle({ ...old, name: 'New' }, among([old, other], old))).toEqual({ ...old, name: 'New' })
    expect(rules.settle(named('3', 'New'), among([old, other]))).toMatchObject({ name: 'New' })
  })

  it('may stay though another has it, until it changes', () => {
    const twin = named('4', 'old')
    const next = { ...twin, name: 'OLD' }
    expect(rules.settle(next, among([old, twin], twin))).toEqual(next)
    expect(refused(rules.settle({ ...twin, name: 'Other' }, among([old, twin, other], twin)))).toEqual(taken('/name'))
  })
})

describe('the name of an archived or inactive setting', () => {
  const unusable: readonly { readonly out: object; readonly rules: Rules }[] = [
    { out: { enabled: false }, rules: rulesOf(application) },
    { out: { archived: true }, rules: rulesOf(stage) },
  ]

  it.each(unusable)('is free, and is taken again with $out no more', ({ out, rules }) => {
    const used = named('1', 'Web')
    const unused = { ...named('2', 'Web'), ...out }
    expect(rules.settle(used, among([used, unused]))).toBe(used)
    expect(rules.settle(unused, among([used, unused]))).toBe(unused)
    expect(refused(rules.settle(named('2', 'Web'), among([used, unused], unused)))).toEqual(taken('/name'))
  })

  it('is also free in another pipeline', () => {
    const elsewhere = { ...named('2', 'Web'), pipelineId: 'q' }
    expect(rulesOf(stage).settle(named('1', 'Web'), among([elsewhere]))).toMatchObject({ name: 'Web' })
  })
})

const placed: readonly { readonly kind: string; readonly rules: Rules }[] = [
  { kind: 'pipeline', rules: rulesOf(pipeline) },
  { kind: 'reason for a loss', rules: rulesOf(lostReason) },
]

describe.each(placed)('a new $kind', ({ rules }) => {
  const at = (id: string, position: number) => ({ ...named(id, id), position })

  it('comes last, and keeps its place afterwards', () => {
    expect(rules.settle(at('1', 0), among([]))).toMatchObject({ position: 0 })
    expect(rules.settle(at('3', 0), among([at('1', 4), at('2', 1)]))).toMatchObject({ position: 5 })
    expect(rules.settle(at('1', 4), among([at('1', 4), at('2', 9)], at('1', 4)))).toMatchObject({ position: 4 })
  })
})

describe('a custom field', () => {
  const field = (id: string, kind: string, key: string, label: string, position = 0) => ({
    id,
    kind,
    key,
    label,
    position,
  })
  const size = field('1', 'deal', 'size', 'Size', 3)
  const shape = field('2', 'deal', 'shape', 'Shape', 2)

  it('has a key that no other of its kind has', () => {
    const others = among([size, shape])
    expect(refused(rulesOf(customField).settle(field('3', 'deal', 'size', 'New'), others))).toEqual(taken('/key'))
    expect(rulesOf(customField).settle(field('3', 'contact', 'size', 'Size'), others)).toMatchObject({ key: 'size' })
  })

  it('has a label that no other of its kind has, in whatever case, once it is named anew', () => {
    const others = among([size, shape])
    expect(refused(rulesOf(customField).settle(field('3', 'deal', 'new', 'SIZE'), others))).toEqual(taken('/label'))
    const settled = (label: string, previous: typeof size) =>
      rulesOf(customField).settle({ ...previous, label }, among([size, shape, previous], previous))
    expect(refused(settled('shape', size))).toEqual(taken('/label'))
    expect(settled('SIZE', field('4', 'deal', 'twin', 'Size', 9))).toMatchObject({ label: 'SIZE', position: 9 })
  })

  it('comes last of its kind', () => {
    const elsewhere = field('5', 'contact', 'size', 'Size', 9)
    const settled = (kind: string) =>
      rulesOf(customField).settle(field('3', kind, 'new', 'New'), among([size, shape, elsewhere]))
    expect(['deal', 'contact', 'company'].map(settled)).toMatchObject([
      { position: 4 },
      { position: 10 },
      { position: 0 },
    ])
  })
})
