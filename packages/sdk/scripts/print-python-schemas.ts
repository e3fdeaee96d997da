import type { Api, Schema } from './api.ts'
import { docstring } from './python.ts'

/** A TypedDict for each component that has members, and an alias for each other one. */
export function printPythonSchemas({ document }: Pick<Api, 'document'>): string {
  return [
    'from __future__ import annotations\n',
    'from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypedDict\n',
    'if TYPE_CHECKING:',
    '    # Every type checker knows it, so nothing has to be installed.',
    '    from typing_extensions import NotRequired\n\n',
    Object.entries(document.components.schemas)
      .map(([name, schema]) => printPythonSchema(name, schema))
      .join('\n\n'),
  ].join('\n')
}

/** One component: its members have the names that the API gives them. */
export function printPythonSchema(name: string, schema: Schema): string {
  const { properties, required = [], description } = schema
  if (properties === undefined) return `${name}: TypeAlias = ${JSON.stringify(pythonType(schema))}\n`
  const members = Object.entries(properties).map(([member, one]) => {
    const type = pythonType(one)
    return { member, type: required.includes(member) ? type : `NotRequired[${type}]`, described: one.description }
  })
  if (members.some(({ member }) => keywords.has(member))) {
    const pairs = members.map(({ member, type }) => `    ${JSON.stringify(member)}: ${JSON.stringify(type)},\n`)
    return `${name} = TypedDict(\n    "${name}",\n    {\n${pairs.map(pair => `    ${pair}`).join('')}    },\n)\n`
  }
  const lines = members.flatMap(({ member, type, described }) => [
    `    ${member}: ${type}`,
    ...(described === undefined ? [] : [docstring([described], '    ')]),
  ])
  const about = description === undefined ? [] : [docstring([description], '    ')]
  const body = [...about, ...lines]
  return `class ${name}(TypedDict):\n${body.length === 0 ? '    pass' : body.join('\n')}\n`
}

/** Words that no member of a class can have as its name. */
const keywords: ReadonlySet<string> = new Set([
  'class',
  'def',
  'for',
  'from',
  'global',
  'import',
  'in',
  'is',
  'not',
  'or',
])

const simple: Readonly<Record<string, string>> = {
  string: 'str',
  integer: 'int',
  number: 'float',
  boolean: 'bool',
  null: 'None',
}

/** The type of a value in Python. Lists that are only sent may be any sequence. */
export function pythonType(schema: Schema, list: 'list' | 'Sequence' = 'list'): string {
  const { $ref, enum: values, const: constant, type, anyOf, oneOf, items, additionalProperties } = schema
  if ($ref !== undefined) return String($ref.split('/').at(-1))
  if (values !== undefined || constant !== undefined) return literal(values ?? [constant])
  const union = anyOf ?? oneOf
  if (union !== undefined && type === undefined) return union.map(one => pythonType(one, list)).join(' | ')
  if (Array.isArray(type)) return type.map(one => pythonType({ ...schema, type: one }, list)).join(' | ')
  if (type === 'array') return `${list}[${items === undefined ? 'Any' : pythonType(items, list)}]`
  if (type === 'object') {
    const value = typeof additionalProperties === 'object' ? pythonType(additionalProperties, list) : 'Any'
    return `${list === 'list' ? 'dict' : 'Mapping'}[str, ${value}]`
  }
  return (typeof type === 'string' && simple[type]) || 'Any'
}

function literal(values: readonly unknown[]): string {
  const words = values.map(value => {
    if (value === null) return 'None'
    if (typeof value === 'boolean') return value ? 'True' : 'False'
    return JSON.stringify(value)
  })
  return `Literal[${words.join(', ')}]`
}
