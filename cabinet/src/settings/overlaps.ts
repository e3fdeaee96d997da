import type { Text } from '../words/index.ts'

/** For how many seconds a replaced token or secret can be good as well. */
export const overlaps: readonly { readonly id: string; readonly name: Text }[] = [
  { id: '0', name: 'not any more' },
  { id: '3600', name: 'for an hour more' },
  { id: '86400', name: 'for a day more' },
  { id: '604800', name: 'for a week more' },
]
