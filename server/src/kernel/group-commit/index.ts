export { decideInTurn } from './decide-in-turn.ts'
export { joinGroup } from './join-group.ts'
export { mostRecordsTogether } from './who-joins.ts'
