/** The address of the sign-in that leads back to a page. */
export function signInAddress({ pathname, search }: Pick<Location, 'pathname' | 'search'>): string {
  return `/cabinet/sign-in?${new URLSearchParams({ to: `${pathname}${search}` }).toString()}`
}

/** Leaves a page whose session has ended, with a new load, so that nothing that was shown stays in memory. Drafts stay in the tab. */
export function leaveForSignIn(): void {
  location.assign(signInAddress(location))
}
