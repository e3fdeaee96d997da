import { statement } from '../sql/index.ts'

/** Servers that see the generation raised forget what they remember of tokens, applications and organizations. */
export const raiseGeneration = statement(
  'raise_generation',
  'update installation set generation = generation + 1 where singleton',
)
