import { startQuipu } from './broker.ts'
import { reportOf } from './report.ts'
import type { Broker, World, WorldOptions } from './types.ts'

/** The broker for all tests in this process that use `withWorld`. It ends with the process. */
let shared: Promise<Broker> | undefined

/**
 * Makes the function of a test: it creates a world, calls `body` with it and what the test runner passes, and deletes it. If the body fails, the seed, the journal hash and
 * the last events of the world are printed on stderr. It works with every test runner: `test('…', withWorld(async (world) => { … }))`.
 */
export function withWorld<Context extends unknown[]>(
  body: (world: World, ...context: Context) => unknown,
  options: WorldOptions = {},
): (...context: Context) => Promise<void> {
  return async (...context) => {
    const broker = await (shared ??= startQuipu())
    const world = await broker.world(options)
    try {
      await body(world, ...context)
    } catch (error) {
      const report = await reportOf(world)
      // The message of a matcher has the report already.
      if (!String(error).includes(report))
        process.stderr.write(`\nThe test failed: ${firstLine(error)}\n${report}\n`)
      throw error
    } finally {
      await world.close()
    }
  }
}

const firstLine = (error: unknown): string => String(error).split('\n', 1)[0]!
