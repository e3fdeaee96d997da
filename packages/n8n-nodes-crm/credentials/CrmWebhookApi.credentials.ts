import type { ICredentialType, Icon, INodeProperties } from 'n8n-workflow'

/** What proves that a delivery comes from the server. It stands beside the token because each webhook has a secret of its own. */
export class CrmWebhookApi implements ICredentialType {
  name = 'crmWebhookApi'
  displayName = 'CRM Webhook API'
  icon: Icon = { light: 'file:../icons/crm.svg', dark: 'file:../icons/crm.dark.svg' }
  documentationUrl = 'https://www.npmjs.com/package/n8n-nodes-crm'

  properties: INodeProperties[] = [
    {
      displayName: 'Secret',
      name: 'secret',
      type: 'string',
      typeOptions: { password: true },
      default: '',
      required: true,
      placeholder: 'whsec_…',
      description:
        'The secret that was shown when the webhook was created. Several, with spaces between, are all accepted.',
    },
  ]
}
