import { after } from 'node:test'
import { startBroker } from './broker.ts'

/**
 * The real program, in memory, for every spec of a process that imports this: whoever shares it works in a world of
 * its own, or minds that `main` is not its alone. Ended with the process.
 */
export const broker = await startBroker(['--data', 'memory', '--worlds-max', '1000'])
after(async () => {
  await broker.stop()
})
