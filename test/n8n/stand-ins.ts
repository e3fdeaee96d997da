import { randomUUID } from 'node:crypto'
import type {
  IDataObject,
  IExecuteFunctions,
  IHttpRequestOptions,
  INode,
  INodeExecutionData,
  IPollFunctions,
  IWebhookFunctions,
} from 'n8n-workflow'
import { CrmApi } from '../../packages/n8n-nodes-crm/credentials/CrmApi.credentials.ts'

/** How n8n runs a node: which execution it is, and what the node is given. */
export interface Run {
  readonly url: string
  readonly parameters: IDataObject
  /** Those that differ from item to item. Without it there is one item. */
  readonly items?: readonly IDataObject[]
  readonly executionId?: string
  readonly runIndex?: number
  readonly type?: string
  readonly continueOnFail?: boolean
  /** The id of the workflow: that of no other one unless given. */
  readonly workflow?: string
}

const node = (type: string): INode => ({
  id: '5a1f9c52-0000-4000-8000-000000000001',
  name: 'CRM',
  type,
  typeVersion: 1,
  position: [0, 0],
  parameters: {},
})

/** The part of n8n that the node CRM uses when it is executed. Requests go over a real connection. */
export function executing(run: Run): IExecuteFunctions {
  const { items = [{}], executionId = '7', runIndex = 0, type = 'n8n-nodes-crm.crm', continueOnFail = false } = run
  return {
    ...calling(run),
    getNode: () => node(type),
    getInputData: (): INodeExecutionData[] => items.map(json => ({ json })),
    getNodeParameter: (name: string, itemIndex: number, otherwise?: unknown) =>
      valueAmong({ ...run.parameters, ...items[itemIndex] }, name, otherwise),
    getWorkflowDataProxy: () => ({ $runIndex: runIndex }),
    getInstanceId: () => 'instance',
    getExecutionId: () => executionId,
    continueOnFail: () => continueOnFail,
  } as unknown as IExecuteFunctions
}

/** The part of n8n that the node CRM Trigger uses. `memory` is what n8n keeps for the node between polls. */
export function polling(run: Run, memory: IDataObject, mode: 'trigger' | 'manual' = 'trigger'): IPollFunctions {
  return {
    ...calling(run),
    getNode: () => node('n8n-nodes-crm.crmTrigger'),
    getMode: () => mode,
    getWorkflow: () => ({ id: run.workflow ?? randomUUID(), active: true }),
    getNodeParameter: (name: string, otherwise?: unknown) => valueAmong(run.parameters, name, otherwise),
    getWorkflowStaticData: () => memory,
  } as unknown as IPollFunctions
}

/** A delivery as n8n hands it to the node CRM Webhook Trigger. */
export interface Delivery {
  readonly secret: string
  readonly body: Buffer
  readonly headers: Readonly<Record<string, string>>
  readonly kinds?: readonly string[]
  /** The id of the workflow: that of no other one unless given. */
  readonly workflow?: string
}

/** The part of n8n that the node CRM Webhook Trigger uses, and the status that the node itself has answered: null if none. */
export function receiving(
  { secret, body, headers, kinds = [], workflow = randomUUID() }: Delivery,
  memory: IDataObject,
  mode: 'webhook' | 'manual' = 'webhook',
): { functions: IWebhookFunctions; status(): number | null } {
  let answered: number | null = null
  const response = {
    status: (code: number) => {
      answered = code
      return { json: () => undefined }
    },
  }
  const functions = {
    getCredentials: async () => ({ secret }),
    getRequestObject: () => ({ rawBody: body }),
    getResponseObject: () => response,
    getHeaderData: () => headers,
    getBodyData: () => JSON.parse(body.toString()),
    getNode: () => node('n8n-nodes-crm.crmWebhookTrigger'),
    getMode: () => mode,
    getWorkflow: () => ({ id: workflow, active: true }),
    getNodeParameter: () => kinds,
    getWorkflowStaticData: () => memory,
  } as unknown as IWebhookFunctions
  return { functions, status: () => answered }
}

function calling({ url }: Run) {
  return {
    getCredentials: async () => ({ url, token: 'crm_token' }),
    helpers: {
      httpRequestWithAuthentication: async (credential: string, options: IHttpRequestOptions) => {
        const { authenticate } = new CrmApi()
        const header = String(authenticate.properties.headers?.Authorization).replace(
          '{{$credentials.token}}',
          'crm_token',
        )
        const response = await fetch(options.url, {
          method: options.method ?? 'GET',
          headers: {
            ...(options.headers as Record<string, string>),
            authorization: header.slice(1),
            'x-credential': credential,
          },
          redirect: options.disableFollowRedirect === true ? 'manual' : 'follow',
          ...(options.body !== undefined && { body: JSON.stringify(options.body) }),
        })
        const text = await response.text()
        return {
          statusCode: response.status,
          headers: Object.fromEntries(response.headers),
          body: parsed(text),
        }
      },
    },
  }
}

/** As n8n does: what is no JSON stays text. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** As n8n does: without a fallback, a parameter that the node does not have is an error. */
function valueAmong(parameters: IDataObject, name: string, otherwise: unknown): unknown {
  if (name in parameters) return parameters[name]
  if (otherwise === undefined) throw new Error(`Could not get parameter ${name}`)
  return otherwise
}
