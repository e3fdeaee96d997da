export { backUp, type WrittenBackup } from './back-up.ts'
export { type OpenedBackup, openBackup } from './opened-backup.ts'
export { type RestoredInstallation, restore } from './restore.ts'
