import {
  type ICredentialsDecrypted,
  type ICredentialTestFunctions,
  type INodeCredentialTestResult,
  type INodeType,
  type INodeTypeDescription,
  type IWebhookFunctions,
  type IWebhookResponseData,
  NodeConnectionTypes,
} from 'n8n-workflow'
import { isObject } from '../api/answer.ts'
import { isWanted, kindsProperty } from '../api/kinds.ts'
import { keysOf, takeId, verifiedId } from './delivery.ts'

/** Begins a workflow with the deliveries of a webhook that the operator of the server has created. */
export class CrmWebhookTrigger implements INodeType {
  description: INodeTypeDescription = {
    displayName: 'CRM Webhook Trigger',
    name: 'crmWebhookTrigger',
    icon: { light: 'file:../../icons/crm.svg', dark: 'file:../../icons/crm.dark.svg' },
    group: ['trigger'],
    version: 1,
    subtitle: '={{$parameter["kinds"].join(", ") || "all events"}}',
    description: 'Begin a workflow as soon as a webhook of the CRM delivers an event',
    defaults: { name: 'CRM Webhook Trigger' },
    inputs: [],
    outputs: [NodeConnectionTypes.Main],
    credentials: [{ name: 'crmWebhookApi', required: true, testedBy: 'crmWebhookSecretTest' }],
    webhooks: [{ name: 'default', httpMethod: 'POST', responseMode: 'onReceived', path: 'webhook' }],
    properties: [
      {
        displayName:
          'Give the URL above to the operator of the server, who creates the webhook: <code>crm-server webhook create --name n8n --url URL --kinds deal.won</code>. Put the secret that this shows into the credential.',
        name: 'creation',
        type: 'notice',
        default: '',
      },
      kindsProperty,
    ],
  }

  methods = {
    credentialTest: {
      async crmWebhookSecretTest(
        this: ICredentialTestFunctions,
        { data }: ICredentialsDecrypted,
      ): Promise<INodeCredentialTestResult> {
        const secret = data?.secret
        return typeof secret === 'string' && keysOf(secret) !== null
          ? { status: 'OK', message: 'The form of the secret is right' }
          : { status: 'Error', message: 'A secret is whsec_ and then Base64, as webhook create has shown it' }
      },
    },
  }

  /** The server has commands for webhooks, and the API has no routes for them: their life is in the hands of the operator. */
  webhookMethods = {
    default: {
      checkExists: async () => true,
      create: async () => true,
      delete: async () => true,
    },
  }

  async webhook(this: IWebhookFunctions): Promise<IWebhookResponseData> {
    const { secret } = await this.getCredentials<{ secret: string }>('crmWebhookApi')
    const request = this.getRequestObject()
    const id = verifiedId(await rawBody(request), this.getHeaderData() as never, keysOf(secret) ?? [], Date.now())
    if (id === null) {
      this.getResponseObject()
        .status(401)
        .json({ error: 'The delivery is not signed with the secret of the credential.' })
      return { noWebhookResponse: true }
    }
    // Without data no workflow begins, and the delivery is answered all the same. A trial takes what the workflow has taken already.
    if (this.getMode() !== 'manual') {
      const memory = this.getWorkflowStaticData('node')
      const key = `${this.getWorkflow().id}/${this.getNode().id}`
      const taken = takeId(key, (memory.taken ?? []) as string[], id)
      if (taken === null) return { webhookResponse: 'repeated' }
      memory.taken = taken
    }
    const message = this.getBodyData()
    const kinds = this.getNodeParameter('kinds', []) as string[]
    if (message.type !== 'feed.reset' && !isWanted(String(message.type), kinds)) return { webhookResponse: 'ignored' }
    const { data, ...head } = message
    return { workflowData: [[{ json: { 'webhook-id': id, ...head, ...(isObject(data) && { data }) } }]] }
  }
}

/** The bytes of the body, which n8n reads when it is asked. */
async function rawBody(request: unknown): Promise<Buffer> {
  const { readRawBody, rawBody: read } = request as { rawBody?: Buffer; readRawBody?: () => Promise<void> }
  if (read !== undefined) return read
  await readRawBody?.call(request)
  return (request as { rawBody?: Buffer }).rawBody ?? Buffer.alloc(0)
}
