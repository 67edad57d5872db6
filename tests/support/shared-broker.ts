import { after } from 'node:test'
import { startBroker } from './broker.ts'

/**
 * One broker in memory for all specs of a process. A spec creates its own world, or expects that other specs also change
 * `main`. The broker stops at the end of the process.
 */
export const broker = await startBroker(['--data', 'memory', '--worlds-max', '1000'])
after(async () => {
  await broker.stop()
})
