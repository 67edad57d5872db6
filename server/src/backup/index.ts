export { backUp } from './backup.ts'
export { rebuildStore } from './rebuild.ts'
export { checkBackup, restore } from './restore.ts'
export { verifyStore } from './verify.ts'
