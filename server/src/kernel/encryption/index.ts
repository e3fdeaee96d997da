export { Keyring } from './keyring.ts'
