import { parentPort } from 'node:worker_threads'
import { createLog } from '@quipu/broker/log/log.ts'
import { readConfig } from '@quipu/server/config/config.ts'
import { type RunningQuipu, startQuipu } from '@quipu/server/start/start.ts'
import type { FromThread, StartedBroker, ToThread } from './messages.ts'

/** Runs brokers in memory for the main thread. */
const WORLDS_MAX = 10_000
const brokers = new Map<number, RunningQuipu>()
let started = 0
const port = parentPort!
const send = (message: FromThread): void => port.postMessage(message)

async function start(): Promise<StartedBroker> {
  // The variables of the shell may belong to another broker.
  const { config } = readConfig({
    flags: new Map([
      ['data', 'memory'],
      ['port', '0'],
      ['worldsMax', String(WORLDS_MAX)],
      ['readers', '0'],
    ]),
    env: {},
    readText: () => '',
  })
  const write = (text: string) => process.stderr.write(text)
  const quipu = await startQuipu(config, createLog({ level: 'warn', readable: true, write }))
  const broker = ++started
  brokers.set(broker, quipu)
  const { brokerKey, brokerSecret } = quipu.credentials
  return { broker, url: quipu.url, operator: { keyId: brokerKey!, secretKey: brokerSecret! } }
}

async function answer(message: ToThread): Promise<StartedBroker | undefined> {
  if (message.kind === 'start') {
    const prepared = first
    first = undefined
    return prepared ?? start()
  }
  const quipu = brokers.get(message.broker)
  brokers.delete(message.broker)
  await quipu?.close()
  return undefined
}

port.on('message', (message: ToThread & { readonly id: number }) => {
  const { id } = message
  answer(message).then(
    (started) => send(started ? { id, started } : { id }),
    (error) => send({ id, error: String(error?.stack ?? error) }),
  )
})
// The first broker starts together with the modules: 0.1 s that no test waits for.
let first: Promise<StartedBroker> | undefined = start()
first.then(
  () => send({ id: 0 }),
  (error) => send({ id: 0, error: String(error?.stack ?? error) }),
)
