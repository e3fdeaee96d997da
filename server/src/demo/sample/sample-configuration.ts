export const operators = [
  { name: 'Olivia Grant', email: 'olivia.grant@demo.example' },
  { name: 'Mateo Silva', email: 'mateo.silva@demo.example' },
  { name: 'Hanna Berg', email: 'hanna.berg@demo.example' },
  { name: 'Kenji Mori', email: 'kenji.mori@demo.example' },
]

/** Those of them who sign in. The demo link signs in as the first. */
export const sampleMembers = [
  { email: 'olivia.grant@demo.example', role: 'owner' },
  { email: 'mateo.silva@demo.example', role: 'manager' },
  { email: 'hanna.berg@demo.example', role: 'member' },
] as const

export const sampleTags = [
  { name: 'Key account', color: '#C2410C', kinds: ['contact', 'company'] },
  { name: 'Partner', color: '#0F766E', kinds: ['contact', 'company'] },
  { name: 'Newsletter', color: '#1D4ED8', kinds: ['contact'] },
  { name: 'At risk', color: '#B91C1C', kinds: ['company', 'deal'] },
  { name: 'Follow up', color: '#A16207', kinds: ['contact', 'company', 'deal', 'task'] },
]

export const segments = ['small', 'medium', 'large'] as const
export const interests = ['shelving', 'conveyors', 'service'] as const

export const sampleCustomFields = [
  {
    kind: 'company',
    key: 'segment',
    type: 'select',
    label: 'Segment',
    options: [
      { key: 'small', label: 'Up to 50 people' },
      { key: 'medium', label: 'Up to 500 people' },
      { key: 'large', label: 'More than 500 people' },
    ],
  },
  { kind: 'contact', key: 'preferred_language', type: 'text', label: 'Preferred language' },
  {
    kind: 'deal',
    key: 'interests',
    type: 'multiselect',
    label: 'Interests',
    options: [
      { key: 'shelving', label: 'Shelving' },
      { key: 'conveyors', label: 'Conveyors' },
      { key: 'service', label: 'Service contracts' },
    ],
  },
  { kind: 'deal', key: 'renewal', type: 'boolean', label: 'Renewal' },
]
