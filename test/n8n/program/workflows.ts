/** The credentials of the nodes, as n8n imports them. */
export const credentials = (url: string, token: string, secret: string) => [
  { id: 'crm', name: 'CRM', type: 'crmApi', data: { url, token } },
  { id: 'webhook', name: 'CRM Webhook', type: 'crmWebhookApi', data: { secret } },
]

/** A workflow of two nodes: one begins it, the other one writes a record. */
function workflow(id: string, begin: object, write: object) {
  const nodes = [
    { id: `${id}-begin`, name: 'Begin', typeVersion: 1, position: [0, 0], parameters: {}, ...begin },
    { id: `${id}-write`, name: 'Write', typeVersion: 1, position: [200, 0], ...node('crm', write) },
  ]
  const connections = { Begin: { main: [[{ node: 'Write', type: 'main', index: 0 }]] } }
  return { id, name: id, active: false, nodes, connections, settings: {} }
}

const node = (name: string, parameters: object) => ({
  type: `n8n-nodes-crm.${name}`,
  parameters,
  credentials:
    name === 'crmWebhookTrigger'
      ? { crmWebhookApi: { id: 'webhook', name: 'CRM Webhook' } }
      : { crmApi: { id: 'crm', name: 'CRM' } },
})

const task = (title: string) => ({ resource: 'tasks', operation: 'create', title })
const wins = { kinds: ['deal.won'] }

/** Started by hand: creates a contact. */
export const greeting = workflow(
  'greeting',
  { type: 'n8n-nodes-base.manualTrigger' },
  { resource: 'contacts', operation: 'create', additionalFields: { firstName: 'Anna', lastName: 'Petrova' } },
)

/** Follows the feed: for each deal that was won it creates a task with its title. */
export const followed = workflow(
  'followed',
  node('crmTrigger', { ...wins, pollTimes: { item: [{ mode: 'everyMinute' }] } }),
  task('=Polled: {{ $json.record.title }}'),
)

/** Receives deliveries: for each deal that was won it creates a task. */
export const received = workflow(
  'received',
  { ...node('crmWebhookTrigger', wins), webhookId: 'won' },
  task('=Delivered: {{ $json.type }}'),
)
