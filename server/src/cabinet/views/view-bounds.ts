import { type Bounds, kibibyte, unreadable } from '../../kernel/limits/index.ts'

/** Bounds of views. */
export const viewBounds = {
  organizationViews: {
    most: 200,
    unit: 'entries',
    of: 'views of one organization; private ones of former users make room',
    beyond: unreadable,
  },
  viewBytes: { most: 16 * kibibyte, unit: 'bytes', of: 'filters, order and columns of a view', beyond: unreadable },
} as const satisfies Bounds
