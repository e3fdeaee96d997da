export { DiskReserve } from './disk-reserve.ts'
export { DiskStore } from './disk-store.ts'
export { type FileName, type FilePurpose, fileKey, filesOf } from './file-key.ts'
export { FileLinks, filesPath, type LinkedFile } from './file-links.ts'
export {
  type ByteRange,
  FileMissing,
  type FileSource,
  type FileStore,
  FileStoreFailure,
  type StoredFile,
} from './file-store.ts'
export {
  filesTable,
  type RecordedFile,
  selectFile,
  selectRecordedFiles,
  toFileName,
  toRecordedFile,
} from './files.sql.ts'
export { Files, type ForgottenFile, forgetFile, type KeptFile, recordFile } from './files.ts'
export { filesWithoutRow, sweepFiles } from './files-without-row.ts'
export { inTime, takenInTime } from './in-time.ts'
export { removeLeftBehind } from './left-behind.ts'
export { copyLocally, type LocalCopy } from './local-copy.ts'
export { sniffMediaType } from './media-type.ts'
export { rowsWithoutFile } from './rows-without-file.ts'
export type { S3Settings } from './s3-clients.ts'
export { S3Objects } from './s3-objects.ts'
export { S3Store } from './s3-store.ts'
export { StoreWithTimeout } from './store-with-timeout.ts'
export { WrittenFile } from './written-file.ts'
