export { backUp } from './backup.ts'
export { checkBackup, restore } from './restore.ts'
export { rebuildStore, verifyStore } from './verify.ts'
