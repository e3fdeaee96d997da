export { backUp } from './back-up.ts'
export { openBackup } from './opened-backup.ts'
export { type RestoredInstallation, restore } from './restore.ts'
