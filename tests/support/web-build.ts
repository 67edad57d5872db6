import { execFileSync } from 'node:child_process'
import { join } from 'node:path'

const web = join(import.meta.dirname, '..', '..', 'web')

/** The folder of the built dashboard and documentation. All processes of a run share one build. */
export function builtWeb(): string {
  execFileSync(process.execPath, [join(web, 'build.ts'), '--if-needed'], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  return join(web, 'dist')
}
