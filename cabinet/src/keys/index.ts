export { currentKeys, type KeyBinding, useKeys } from './use-keys.ts'
