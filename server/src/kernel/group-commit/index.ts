export { decideInTurn } from './decide-in-turn.ts'
export { joinGroup, mostRecordsTogether } from './join-group.ts'
