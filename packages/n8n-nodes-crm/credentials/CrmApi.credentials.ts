import type { IAuthenticateGeneric, ICredentialTestRequest, ICredentialType, Icon, INodeProperties } from 'n8n-workflow'

/** A server and a token of an application. */
export class CrmApi implements ICredentialType {
  name = 'crmApi'
  displayName = 'CRM API'
  icon: Icon = { light: 'file:../icons/crm.svg', dark: 'file:../icons/crm.dark.svg' }
  documentationUrl = 'https://www.npmjs.com/package/n8n-nodes-crm'

  properties: INodeProperties[] = [
    {
      displayName: 'URL',
      name: 'url',
      type: 'string',
      default: '',
      required: true,
      placeholder: 'https://crm.example.com',
      description: 'Where the server is, without a path',
    },
    {
      displayName: 'Token',
      name: 'token',
      type: 'string',
      typeOptions: { password: true },
      default: '',
      required: true,
      description: 'A token of an application. Its scopes decide what the nodes can do.',
    },
  ]

  authenticate: IAuthenticateGeneric = {
    type: 'generic',
    properties: { headers: { Authorization: '=Bearer {{$credentials.token}}' } },
  }

  test: ICredentialTestRequest = {
    request: { baseURL: '={{$credentials.url.replace(/[/]+$/, "")}}', url: '/api/v1/crm/capabilities' },
  }
}
