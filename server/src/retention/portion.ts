/** Most rows that one statement looks at or removes: some tens of milliseconds. */
export const portion = 2000
