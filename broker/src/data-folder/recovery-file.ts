import { join } from 'node:path'

/** The header with the name of a recovery file. */
export const RECOVERY_HEADER = 'x-quipu-recovery'

/** A file that a command writes to the data folder to prove that it runs on the machine of the server, and then deletes. */
export const recoveryFile = (folder: string, name: string): string => join(folder, `recovery-${name}`)
