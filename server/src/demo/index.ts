export { comesBesideOthers, ensureDemo, resetDemo } from './demo.ts'
export { demoLink, findDemoOwner } from './demo-members.ts'
export { demoToken } from './token-file.ts'
