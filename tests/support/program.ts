import { join } from 'node:path'

/** The program as a checkout runs it: TypeScript. */
export const sourceProgram = join(import.meta.dirname, '..', '..', 'cli', 'bin', 'quipu.js')

/** The program that tests start: the bundle that the runner built, or the checkout for a spec that is run alone. */
export const program = process.env['TEST_PROGRAM'] ?? sourceProgram

/** The Node that runs the program: another one with `TEST_NODE=PATH npm test -- specification`. */
export const serverNode = process.env['TEST_NODE'] ?? process.execPath

/** The heap starts large, so that a start collects no garbage. Specs of data folders then need 8 % less CPU time. */
export const serverFlags = ['--min-semi-space-size=32', '--max-semi-space-size=32']
