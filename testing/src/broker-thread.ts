import { parentPort } from 'node:worker_threads'
import type { RunningQuipu } from '@quipu/server/start/start.ts'
import { startInMemory } from './memory-broker.ts'
import type { FromThread, StartedBroker, ToThread } from './messages.ts'

/** Runs brokers in memory for the main thread. */
const brokers = new Map<number, RunningQuipu>()
let started = 0
const port = parentPort!
const send = (message: FromThread): void => port.postMessage(message)

async function start(): Promise<StartedBroker> {
  const { quipu, key } = await startInMemory()
  const broker = ++started
  brokers.set(broker, quipu)
  return { broker, key }
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
