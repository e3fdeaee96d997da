import {
  type IDataObject,
  type IExecuteFunctions,
  type INodeExecutionData,
  type INodeType,
  type INodeTypeDescription,
  type JsonObject,
  NodeApiError,
  NodeConnectionTypes,
  NodeOperationError,
} from 'n8n-workflow'
import { isObject } from '../api/answer.ts'
import { callApi, unexpectedAnswer } from '../api/call.ts'
import { operations } from './generated/operations.ts'
import { properties } from './generated/properties.ts'
import { keyOf } from './key.ts'
import type { Operation } from './operation.ts'
import { type Page, requestOf } from './request.ts'

/** Reads and writes records. Items are handled one after the other, so that a long list of them keeps below the limits of the server. */
export class Crm implements INodeType {
  description: INodeTypeDescription = {
    displayName: 'CRM',
    name: 'crm',
    icon: { light: 'file:../../icons/crm.svg', dark: 'file:../../icons/crm.dark.svg' },
    group: ['transform'],
    version: 1,
    subtitle: '={{$parameter["operation"] + ": " + $parameter["resource"]}}',
    description: 'Read and write contacts, companies, deals and tasks',
    defaults: { name: 'CRM' },
    usableAsTool: true,
    inputs: [NodeConnectionTypes.Main],
    outputs: [NodeConnectionTypes.Main],
    credentials: [{ name: 'crmApi', required: true }],
    properties,
  }

  async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
    const results: INodeExecutionData[] = []
    for (const itemIndex of this.getInputData().keys()) {
      try {
        const found = await perform(this, itemIndex)
        for (const json of found) results.push({ json, pairedItem: { item: itemIndex } })
      } catch (error) {
        // Around an error of its own kind, each of them is that error itself.
        const failure =
          error instanceof NodeApiError
            ? new NodeApiError(this.getNode(), error as unknown as JsonObject)
            : new NodeOperationError(this.getNode(), error as Error, { itemIndex })
        if (!this.continueOnFail()) throw failure
        // The member `error` beside the JSON takes an item to the error output.
        results.push({ json: failureOf(failure), error: failure, pairedItem: { item: itemIndex } })
      }
    }
    return [results]
  }
}

/** A failure as an item: what is wrong, and the code and the status of the API if it has answered. */
function failureOf({ message, description, context }: NodeApiError | NodeOperationError): IDataObject {
  const { code, status } = context
  return {
    error: message,
    ...(typeof code === 'string' && { code }),
    ...(typeof status === 'number' && { status }),
    ...(typeof description === 'string' && { description }),
  }
}

/** Calls the chosen operation for one item. A list gives its elements, everything else one object. */
async function perform(node: IExecuteFunctions, itemIndex: number): Promise<IDataObject[]> {
  const parameter = (name: string, otherwise?: unknown) => node.getNodeParameter(name, itemIndex, otherwise)
  const id = `${String(parameter('resource'))}.${String(parameter('operation'))}`
  const operation = operations[id]
  if (operation === undefined)
    throw new NodeOperationError(node.getNode(), `The node has no operation ${id}`, { itemIndex })
  const values: IDataObject = {
    ...collected(parameter('additionalFields', {})),
    ...collected(parameter('options', {})),
  }
  for (const { name, onTop } of operation.inputs) if (onTop) values[name] = parameter(name) as IDataObject[string]
  if (operation.paged) {
    const most = parameter('returnAll', false) === true ? Number.POSITIVE_INFINITY : Number(parameter('limit', 50))
    return readPages(node, itemIndex, operation, values, most)
  }
  const request = requestOf(operation, values)
  const key = operation.keyed && keyOf(originOf(node, itemIndex, JSON.stringify(request)))
  const { data } = await callApi(node, { ...request, ...(key && { key }) }, itemIndex)
  return Array.isArray(data) ? data.filter(isObject) : [isObject(data) ? data : { result: data as IDataObject[string] }]
}

async function readPages(
  node: IExecuteFunctions,
  itemIndex: number,
  operation: Operation,
  values: IDataObject,
  most: number,
): Promise<IDataObject[]> {
  const found: IDataObject[] = []
  let cursor: Page['cursor'] = null
  do {
    const request = requestOf(operation, values, { limit: Math.min(100, most - found.length), cursor })
    const { data, meta } = await callApi(node, request, itemIndex)
    const { nextCursor } = meta
    if (!Array.isArray(data) || (nextCursor !== null && typeof nextCursor !== 'string'))
      throw unexpectedAnswer(node, 200, itemIndex)
    for (const record of data) if (isObject(record)) found.push(record)
    cursor = nextCursor
  } while (cursor !== null && found.length < most)
  return found
}

function originOf(node: IExecuteFunctions, itemIndex: number, content: string) {
  const { id: nodeId, type } = node.getNode()
  const { $runIndex: runIndex } = node.getWorkflowDataProxy(itemIndex)
  const origin = { instanceId: node.getInstanceId(), executionId: node.getExecutionId(), nodeId, runIndex, itemIndex }
  // n8n calls a node that an agent uses by the name of its tool.
  return type.endsWith('Tool') ? { ...origin, content } : origin
}

const collected = (value: unknown): IDataObject => (isObject(value) ? value : {})
