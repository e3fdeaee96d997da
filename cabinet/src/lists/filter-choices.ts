import type { Directories } from '../directories/directories.ts'
import { type Kind, kindFacts } from '../records/kinds.ts'
import { wordOf } from '../records/labels.ts'
import type { Say } from '../words/index.ts'
import type { FilterDefinition } from './filters.rules.ts'

/** The values that a filter can have; undefined: anything that can be typed. */
export function choicesOf(
  kind: Kind,
  filter: FilterDefinition,
  directories: Directories,
  t: Say,
): { id: string; name: string }[] | undefined {
  const { widget, choices = [] } = filter
  const { operators = [], tags = [], pipelines } = directories
  if (widget === 'choice') return choices.map(choice => ({ id: choice, name: wordOf(choice, t) }))
  if (widget === 'operator') return operators.map(({ uuid, name }) => ({ id: uuid, name }))
  if (widget === 'tag') return tags.filter(({ kinds }) => kinds.includes(kindFacts[kind].singular))
  if (widget === 'stage') return pipelines.flatMap(({ stages }) => stages.map(({ uuid, name }) => ({ id: uuid, name })))
  return widget === 'pipeline' ? pipelines.map(({ id, name }) => ({ id, name })) : undefined
}
