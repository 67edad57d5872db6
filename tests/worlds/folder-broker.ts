import { after } from 'node:test'
import { newFolder, startBroker } from '../support/broker.ts'

/** The data folder of the broker. */
export const folder = newFolder()

/** One broker with a data folder for the specs of worlds that do not stop it; each uses worlds with other names. */
export const broker = await startBroker(['--data', folder])
after(() => broker.kill())
