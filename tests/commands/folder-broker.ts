import { after } from 'node:test'
import { newFolder, startBroker } from '../support/broker.ts'

/** The data folder of the broker. Commands find the broker and its keys there. */
export const folder = newFolder()

/** One broker for specs that expect that others also change `main`. It stops at the end of the process. */
export const broker = await startBroker(['--data', folder])
after(async () => {
  await broker.stop()
})
