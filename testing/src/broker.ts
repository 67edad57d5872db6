import { createWorld, loadWorld } from './create-world.ts'
import { runnerPid, sharedBroker } from './shared-broker.ts'
import { brokerThread } from './thread.ts'
import type { Broker, OperatorKey, World, WorldOptions } from './types.ts'

/** The broker that the files of this test run share, if a test runner started this process. */
let shared: Promise<OperatorKey | undefined> | undefined

function sharedKey(): Promise<OperatorKey | undefined> {
  const runner = runnerPid()
  return (shared ??= runner === undefined ? Promise.resolve(undefined) : sharedBroker(runner))
}

/** Loads or starts what the first `startQuipu` needs, so that no test waits for it. */
export async function prepare(): Promise<void> {
  if ((await sharedKey()) === undefined) await brokerThread().loaded
}

/**
 * Starts a broker on a free port, with all data in memory. The options are the defaults of its worlds. The test files of a
 * run share one process for their brokers; each broker has only its own worlds.
 */
export async function startQuipu(options: WorldOptions = {}): Promise<Broker> {
  const key = await sharedKey()
  if (key !== undefined) return partOf(key, options)
  const thread = brokerThread()
  const { broker, key: own } = await thread.start()
  let closed: Promise<void> | undefined
  return brokerOf(own, options, () => (closed ??= thread.close(broker)))
}

/** A part of a shared broker: its end is the end of its worlds. */
function partOf(key: OperatorKey, options: WorldOptions): Broker {
  const worlds: Promise<World>[] = []
  const kept = (world: Promise<World>): Promise<World> => {
    worlds.push(world)
    return world
  }
  const close = async (): Promise<void> => {
    const made = await Promise.allSettled(worlds.splice(0))
    await Promise.all(made.map((one) => (one.status === 'fulfilled' ? one.value.close() : undefined)))
  }
  const { world, load, ...broker } = brokerOf(key, options, close)
  return { ...broker, world: (more) => kept(world(more)), load: (file) => kept(load(file)) }
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
