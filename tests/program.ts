import { join } from 'node:path'

/** The program as a checkout runs it: TypeScript. */
export const sourceProgram = join(import.meta.dirname, '..', 'server', 'bin', 'quipu.js')

/** The program that tests start: the bundle that the runner built, or the checkout for a spec that is run alone. */
export const program = process.env['TEST_PROGRAM'] ?? sourceProgram
