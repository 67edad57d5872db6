import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Creates the folder in which a run bundles the program; it is deleted when the process exits. Runs at the same time get
 * different folders. The names are few, because the compile cache has an entry for each path.
 */
export function newProgramFolder(parent: string): string {
  for (let number = 1; ; number++) {
    const folder = join(parent, `.test-program-${number}`)
    if (isInUse(folder)) continue
    // A run that was killed left it.
    rmSync(folder, { recursive: true, force: true })
    mkdirSync(folder)
    writeFileSync(join(folder, 'pid'), String(process.pid))
    process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
    return folder
  }
}

/** Whether the process that created a folder is running. */
function isInUse(folder: string): boolean {
  try {
    return process.kill(Number(readFileSync(join(folder, 'pid'), 'utf8')), 0)
  } catch (error) {
    // Any other error: there is no such folder or no such process.
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
