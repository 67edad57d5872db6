import { setTimeout as sleep } from 'node:timers/promises'
import { type Body, type Broker, call, newWorld, type Started, startBroker } from '../broker.ts'
import { broker as far } from '../shared-broker.ts'
import { StreamClient } from '../stream-client.ts'
import { type Road, roadTo } from './road.ts'

export type Keys = Pick<Started, 'url' | 'keyId' | 'secretKey'>

/** A broker whose market is that of a world of another broker, whose clock the test controls. */
export type Stage = {
  readonly provider: Awaited<ReturnType<typeof newWorld>>
  readonly road: Road
  readonly broker: Broker
  close(): Promise<void>
}

/** Settings that lead a broker to a provider. */
export const upstreamOf = (url: string, { keyId, secretKey }: Pick<Keys, 'keyId' | 'secretKey'>) => ({
  QUIPU_UPSTREAM_URL: url,
  QUIPU_UPSTREAM_KEY_ID: keyId,
  QUIPU_UPSTREAM_SECRET_KEY: secretKey,
})

export async function openStage(settings: Readonly<Record<string, string>> = {}): Promise<Stage> {
  // The provider's clock is behind, so that its future can be told while ours goes on.
  const start = new Date(Date.now() - 86_400_000).toISOString()
  const provider = await newWorld(far, { seed: 'upstream', start, hours: 'always' })
  const road = await roadTo(far.url)
  const broker = await startBroker(['--data', 'memory'], { ...upstreamOf(road.url, provider), ...settings })
  return {
    provider,
    road,
    broker,
    async close() {
      await broker.stop()
      road.close()
    },
  }
}

/** Asks until it is as wanted; there is no time after which it is wrong, only the end of the test. */
export async function until<Value>(ask: () => Promise<Value | undefined | false>): Promise<Value> {
  for (;;) {
    const value = await ask()
    if (value !== undefined && value !== false) return value
    await sleep(50)
  }
}

/** A stream of data with everything it was told, control messages apart. */
export async function listen(keys: Keys, path: string, lists: Readonly<Record<string, readonly string[]>>) {
  const client = await StreamClient.open(keys.url + path)
  await client.next()
  await client.request({ action: 'auth', key: keys.keyId, secret: keys.secretKey })
  await client.request({ action: 'subscribe', ...lists })
  const told: Body[] = []
  const gather = async () => {
    for (const messages of await client.rest()) told.push(...messages)
    return told
  }
  return { client, gather }
}

export const get = async (keys: Keys, path: string): Promise<Body> => (await call(keys, 'GET', path)).body
