import { writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { newFolder } from './broker.ts'
import { program } from './program.ts'

const bin = newFolder()
writeFileSync(join(bin, 'quipu'), `#!/bin/sh\nexec "${process.execPath}" "${program}" "$@"\n`, {
  mode: 0o755,
})

/**
 * A PATH with the program of the tests as `quipu`, and the programs of the checkout. The `quipu` of the checkout needs twice
 * the CPU time to start, because it is not bundled.
 */
export const pathWithQuipu = [
  bin,
  join(import.meta.dirname, '..', '..', 'node_modules', '.bin'),
  process.env['PATH'],
].join(delimiter)

/** Commands of a guide, with `quipu` for the script of the checkout that starts it. */
export const withQuipu = (commands: string): string => commands.replaceAll('npm run -s quipu --', 'quipu')
