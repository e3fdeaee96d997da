/** Whether this build has the page of all components. */
declare const withComponents: boolean

declare module 'virtual:catalog/*' {
  import type { Messages } from '@lingui/core'

  export const messages: Messages
}
