import { createWorld, loadWorld } from './create-world.ts'
import { brokerThread } from './thread.ts'
import type { Broker, OperatorKey, WorldOptions } from './types.ts'

/** Starts a broker in this process, on a free port, with all data in memory. The options are the defaults of its worlds. */
export async function startQuipu(options: WorldOptions = {}): Promise<Broker> {
  const thread = brokerThread()
  const { broker, url, operator } = await thread.start()
  let closed: Promise<void> | undefined
  return brokerOf({ url, ...operator }, options, () => (closed ??= thread.close(broker)))
}

/**
 * Uses a broker that runs already. Without a key it reads the variables of `quipu env --all`: APCA_API_BASE_URL,
 * QUIPU_BROKER_KEY and QUIPU_BROKER_SECRET. `close` does not stop that broker.
 */
export function connectQuipu(options: WorldOptions = {}, key: OperatorKey = keyOfEnvironment()): Broker {
  return brokerOf(key, options, async () => {})
}

const brokerOf = (key: OperatorKey, defaults: WorldOptions, close: () => Promise<void>): Broker => ({
  url: key.url,
  world: (options = {}) =>
    createWorld(key, options.scenario === undefined ? { ...defaults, ...options } : options),
  load: (file) => loadWorld(key, file),
  close,
  [Symbol.asyncDispose]: close,
})

function keyOfEnvironment(): OperatorKey {
  const { APCA_API_BASE_URL: url, QUIPU_BROKER_KEY: keyId, QUIPU_BROKER_SECRET: secretKey } = process.env
  if (url && keyId && secretKey) return { url, keyId, secretKey }
  throw new Error(
    'connectQuipu: set APCA_API_BASE_URL, QUIPU_BROKER_KEY and QUIPU_BROKER_SECRET (`quipu env --all` prints them)',
  )
}
