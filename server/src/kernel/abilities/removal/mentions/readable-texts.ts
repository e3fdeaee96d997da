import type { Resource } from '../../../record/index.ts'
import { mayRead } from '../../../redact/index.ts'
import type { Field, Projection } from '../../../schema/index.ts'
import type { Services } from '../../../services.ts'
import { readScopes } from '../../ability.ts'
import { nestedReadScopes } from '../../nested/nested-answer.ts'

/** The kinds of records with free text that the token may read. */
export function readableKinds(services: Services, scopes: ReadonlySet<string>): Resource[] {
  const { alone, nested } = kindsAboutPersons(services)
  const isGranted = (needed: readonly string[]) => needed.every(scope => scopes.has(scope))
  return [
    ...alone.filter(kind => isGranted(readScopes(kind))),
    ...nested.filter(kind => isGranted(nestedReadScopes(kind))),
  ].filter(kind => readableTexts(kind, scopes).length > 0)
}

/** Texts about persons are in the records that clients synchronize; the others hold instructions and catalogues. */
function kindsAboutPersons({ resources, nestedResources }: Services) {
  const isAboutPersons = ({ conventions }: Resource) => conventions.synchronizes
  return { alone: resources.filter(isAboutPersons), nested: nestedResources.filter(isAboutPersons) }
}

/** Names of the fields of free text that the token may read. */
export function readableTexts(kind: Resource, scopes: ReadonlySet<string>): string[] {
  return freeTexts(kind).flatMap(([name, { projection }]) => (isReadable(projection, scopes) ? [name] : []))
}

/** The free text of a kind. Names of other persons are excluded: a person with the same name is not a mention. */
function freeTexts({ fields }: Resource): [string, Field][] {
  return Object.entries(fields).filter(
    ([, { freeText, personal, search }]) => freeText === true && !(personal === true && search === 'names'),
  )
}

export function isReadable(projection: Projection | undefined, scopes: ReadonlySet<string>): boolean {
  return projection === undefined || mayRead(projection, scopes)
}

/** The projections that hide from the token names, e-mails or phones to search for, or texts to search in. */
export function hiddenFrom(person: Resource, services: Services, scopes: ReadonlySet<string>): Projection[] {
  const { alone, nested } = kindsAboutPersons(services)
  const names = Object.values(person.fields).filter(({ mentionedAs }) => mentionedAs !== undefined)
  const texts = [...alone, ...nested].flatMap(kind => freeTexts(kind).map(([, field]) => field))
  const kinds = nested.filter(kind => freeTexts(kind).length > 0)
  const projections = [...names, ...texts, ...kinds].map(({ projection }) => projection)
  return [...new Set(projections)].flatMap(projection =>
    projection === undefined || mayRead(projection, scopes) ? [] : [projection],
  )
}
