export { readForm } from './read-form.ts'
export { refuseFiles } from './refuse-files.ts'
export { inRoom } from './room.ts'
export { Spool } from './spool.ts'
