export { DiskStore } from './disk-store.ts'
export { type FileName, type FilePurpose, fileKey, filesOf, readFileKey } from './file-key.ts'
export {
  type ByteRange,
  FileMissing,
  type FileSource,
  type FileStore,
  FileStoreFailure,
  type StoredFile,
} from './file-store.ts'
