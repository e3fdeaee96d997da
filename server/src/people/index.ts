import type { Module } from '../kernel/index.ts'
import { peopleBounds } from './bounds.ts'
import { invitationMail } from './mail/invitation-mail.ts'
import { resetMail } from './mail/reset-mail.ts'
import { memberOperations } from './member-operations.ts'
import { removeOldAccountRows } from './upkeep.ts'

export { createFirstLink, createResetLink, createSignInLink, createUserWithLink } from './account-links.ts'
export { encryptFactorsAgain } from './encrypt-factors-again.ts'
export { enterByLink } from './enter-by-link.ts'
export { cancelInvitation, inviteMember } from './invitations.ts'
export { knownBrowserSeconds, originOfBrowser, rememberBrowser } from './known-browsers.ts'
export { linkAddress } from './links/create-link.ts'
export { lookAtLink } from './links/look-at-link.ts'
export { useLink } from './links/use-link.ts'
export { type ListedMember, listMembers } from './list-members.ts'
export { askForReset } from './mail/ask-for-reset.ts'
export { describeMe, freshUntil } from './me.ts'
export { addMember, MayNotJoin, removeMember, setMemberRole } from './members.ts'
export { membership } from './membership.ts'
export { changeOwnAccount, changePassword, confirmFactor, offerFactor } from './own-account.ts'
export { renewFreshness } from './own-password.ts'
export { endOneSession, endOtherSessions, listSessions } from './own-sessions.ts'
export { passwordLength } from './password.rules.ts'
export { Passwords } from './passwords.ts'
export { refuseStaleSignIn } from './refuse-stale-sign-in.ts'
export { permissionsOf } from './roles.ts'
export { codeLength } from './second-factor.ts'
export { findUser, listUsers, membershipsOf, showUser } from './show-users.ts'
export { type SignInServices, type StartedSession, signIn, type Visitor } from './sign-in.ts'
export { signOut } from './sign-out.ts'
export { addNewUser, removeUser, setUser, signOutUser } from './users.ts'

/** Users, their memberships and links. Commands and the pages reach them; the API for integrators has no routes for them. */
export const people: Module = {
  operations: [],
  cabinetOperations: memberOperations,
  jobs: [resetMail, invitationMail],
  bounds: peopleBounds,
  upkeep: [removeOldAccountRows],
}
