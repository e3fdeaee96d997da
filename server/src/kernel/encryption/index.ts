export { Keyring, type SecretPlace } from './keyring.ts'
