export { backUpPostgres } from './postgres-backup.ts'
export { rebuildPostgres } from './postgres-rebuild.ts'
export { restoreToPostgres } from './postgres-restore.ts'
export { verifyPostgres } from './postgres-verify.ts'
