/** The most rows that one statement reads or removes, which takes some tens of milliseconds. */
export const portion = 2000
