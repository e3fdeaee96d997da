export { type AddressClass, AddressList, addressBucket, addressClass, isCidr } from './address.ts'
export { Authentication } from './authentication.ts'
export {
  type Caller,
  type EntryName,
  refuseMissingScopes,
  type SessionCredential,
  type TokenCredential,
} from './caller.ts'
export type { RefusedToken } from './refused-token.ts'
export { expiryOf, holderOf, type Members, type RightsHolder, type RightsOfMember } from './rights-holder.ts'
export { isScope, type Permission, type Scope, scopes } from './scopes.ts'
export { type Member, type MemberRole, memberRoles, type SignedIn, sessionTimes } from './session.ts'
export { type ChainEnd, tokenPermits, whyChainEnded } from './token-chain.ts'
export { hashSecret, newTokenText, type ParsedToken, parseToken, tokenText } from './token-text.ts'
