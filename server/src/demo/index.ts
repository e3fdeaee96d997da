export { comesBesideOthers, ensureDemo, resetDemo } from './demo.ts'
export { demoToken } from './token-file.ts'
