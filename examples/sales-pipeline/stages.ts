/** The pipeline of the opportunities; the CRM finds it by name. */
export const pipelineName = 'Sales pipeline'

export const stages = [
  { name: 'Prospecting', type: 'open' },
  { name: 'Engaging', type: 'open' },
  { name: 'Won', type: 'won' },
  { name: 'Lost', type: 'lost' },
] as const

export type StageName = (typeof stages)[number]['name']
