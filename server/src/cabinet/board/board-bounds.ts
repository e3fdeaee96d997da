import type { Bounds } from '../../kernel/limits/index.ts'

/** Bounds of the board of deals. */
export const boardBounds = {
  boardStages: {
    most: 50,
    unit: 'entries',
    of: 'stages that one answer of the board shows',
    beyond: 'the last ones are left out, unless the request names them',
  },
  boardStageScan: {
    most: 2000,
    unit: 'entries',
    of: 'deals of a stage that the board looks at, in the order of the stage, for its cards, its count and its sums',
    beyond: 'the count and the sums are the least that there are, and the answer says so',
  },
  boardStageCards: {
    most: 200,
    unit: 'entries',
    of: 'cards of a stage; 50 unless the request asks for another number',
    beyond: 'the list shows them',
  },
  boardCards: {
    most: 1000,
    unit: 'entries',
    of: 'cards in one answer of the board',
    beyond: 'each stage has fewer',
  },
} as const satisfies Bounds
