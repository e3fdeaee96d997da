import { type Api, type ApiDocument, type Method } from './api.ts'
import { documented } from './documentation.ts'
import { entryOf } from './print-operations.ts'
import { pythonType } from './print-python-schemas.ts'
import { answered, interfaceName, parentOf } from './print-resources.ts'
import { docstring, snakeCase } from './python.ts'

/** A class for each resource, with its methods and the resources below it, and `Resources`, which has them all. */
export function printPythonResources({ document, methods }: Api): string {
  const names = [...new Set(methods.map(({ resource }) => resource))]
  const classes = names.map(resource => {
    const members = [
      ...names.filter(name => parentOf(name) === resource).map(child => printChild(child, document)),
      ...methods.filter(method => method.resource === resource).map(method => printPythonMethod(method, document)),
    ]
    return `class ${interfaceName(resource, document)}(Resource):\n${members.join('\n\n')}\n`
  })
  const roots = names.filter(name => parentOf(name) === undefined).map(name => printChild(name, document))
  const about = docstring(['The resources of the API, with a method for each of its operations.'], '    ')
  return [
    'from __future__ import annotations\n',
    'import builtins',
    'from collections.abc import Mapping, Sequence',
    'from functools import cached_property',
    'from typing import TYPE_CHECKING\n',
    'from ..core.resource import Form, PagedList, Resource\n',
    'if TYPE_CHECKING:',
    '    from typing_extensions import Unpack\n',
    '    from ..core.options import ReadOptions, WriteOptions',
    '    from .schemas import *\n\n',
    classes.join('\n\n'),
    `\nclass Resources(Resource):\n${[about, ...roots].join('\n\n')}\n`,
  ].join('\n')
}

/** What a call has to know of each operation at run time. */
export function printPythonOperations({ methods }: Pick<Api, 'methods'>): string {
  const entries = methods.map(method => {
    const { id, method: verb, path, body, joined, keyed } = entryOf(method)
    const named = [
      ...(body === 'form' ? ['form=True'] : []),
      ...(joined === undefined ? [] : [`joined=(${joined.map(name => `"${name}",`).join(' ')})`]),
      ...(keyed === true ? ['keyed=True'] : []),
    ]
    return `    "${id}": Operation(${[`"${id}"`, `"${verb}"`, `"${path}"`, ...named].join(', ')}),\n`
  })
  return `from ..core.request import Operation\n\nOPERATIONS: dict[str, Operation] = {\n${entries.join('')}}\n`
}

/** One method: path parameters and body by place, the query and the options by name. */
export function printPythonMethod(method: Method, document: ApiDocument): string {
  const { row, name, pathParameters, queryParameters } = method
  const path = pathParameters.map(parameter => snakeCase(parameter.name))
  const query = queryParameters.map(parameter => {
    const type = pythonType(parameter.schema, 'Sequence')
    return `${parameter.name}: ${parameter.required === true ? type : `${type} | None = None`}`
  })
  const parameters = [
    'self',
    ...path.map(parameter => `${parameter}: str`),
    ...(row.body === undefined ? [] : [`body: ${row.body === 'form' ? 'Form' : row.body}`]),
    ...(path.length > 0 || row.body !== undefined ? ['/'] : []),
    ...(query.length === 0 ? [] : ['*', ...query]),
    `**options: Unpack[${row.keyed === true ? 'WriteOptions' : 'ReadOptions'}]`,
  ]
  const sent = queryParameters.map(parameter => `"${parameter.name}": ${parameter.name}`)
  const given = [
    `"${row.id}"`,
    `[${path.join(', ')}]`,
    `{${sent.join(', ')}}`,
    row.body === undefined ? 'None' : 'body',
    'options',
  ].join(', ')
  const { element, data } = answered(method, document)
  if (element === undefined && data === undefined) throw new Error(`The answer to ${row.id} has no name`)
  const type = data ?? (row.paged === true ? `PagedList[${element}]` : `builtins.list[${element}]`)
  return [
    `    def ${snakeCase(name)}(\n${parameters.map(parameter => `        ${parameter},\n`).join('')}    ) -> ${type}:`,
    docstring([...documented(method), '', ...told(method)], '        '),
    `        answer: ${type} = self.${row.paged === true ? '_list' : '_call'}(${given})`,
    '        return answer',
  ].join('\n')
}

/** The parameters, with what the document says of them. */
function told({ row, pathParameters, queryParameters, isDeprecated }: Method): string[] {
  const described = [
    ...pathParameters.map(({ name, description }) => `- ${snakeCase(name)}: ${description}`),
    ...(row.body === 'form' ? ['- body: the files, as `{"files": (name, content, type)}`.'] : []),
    ...queryParameters.map(({ name, description }) => `- ${name}: ${description}`),
  ]
  return [
    ...(described.length > 0 ? ['Parameters:', '', ...described] : []),
    ...(isDeprecated ? ['', 'Deprecated.'] : []),
  ]
}

function printChild(resource: string, document: ApiDocument): string {
  const type = interfaceName(resource, document)
  const name = snakeCase(resource.slice(resource.lastIndexOf('.') + 1))
  return `    @cached_property\n    def ${name}(self) -> ${type}:\n        return ${type}(self._caller)`
}
