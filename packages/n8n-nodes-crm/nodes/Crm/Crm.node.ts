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
import { callApi } from '../api/call.ts'
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
        results.push(...found.map(json => ({ json, pairedItem: { item: itemIndex } })))
      } catch (error) {
        if (!this.continueOnFail()) {
          // Around an error of its own kind, this is that error itself.
          if (error instanceof NodeApiError) throw new NodeApiError(this.getNode(), error as unknown as JsonObject)
          throw new NodeOperationError(this.getNode(), error as Error, { itemIndex })
        }
        const { message } = error as Error
        const isRefused = error instanceof NodeApiError
        const status = isRefused && { status: Number(error.httpCode), description: error.description }
        results.push({ json: { error: message, ...status }, pairedItem: { item: itemIndex } })
      }
    }
    return [results]
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
    if (Array.isArray(data)) found.push(...data.filter(isObject))
    cursor = typeof meta.nextCursor === 'string' ? meta.nextCursor : null
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
