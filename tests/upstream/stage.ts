import { openProxy, type TcpProxy } from '../../broker/src/postgres/testing/tcp-proxy.ts'
import {
  type Body,
  type Broker,
  call,
  newFolder,
  newWorld,
  type Started,
  startBroker,
} from '../support/broker.ts'
import { broker as providerBroker } from '../support/shared-broker.ts'
import { StreamClient } from '../support/stream-client.ts'

export type Keys = Pick<Started, 'url' | 'keyId' | 'secretKey'>

/** A broker that uses a world of another broker as upstream; the test controls the clock of that world. */
export type Stage = {
  readonly provider: Awaited<ReturnType<typeof newWorld>>
  readonly proxy: TcpProxy
  readonly broker: Broker
  close(): Promise<void>
}

/** The upstream settings of a broker. */
export const upstreamOf = (url: string, { keyId, secretKey }: Pick<Keys, 'keyId' | 'secretKey'>) => ({
  QUIPU_UPSTREAM_URL: url,
  QUIPU_UPSTREAM_KEY_ID: keyId,
  QUIPU_UPSTREAM_SECRET_KEY: secretKey,
})

export async function openStage(settings: Readonly<Record<string, string>> = {}): Promise<Stage> {
  // The clock of the provider is a day behind, so that the test can advance it.
  const start = new Date(Date.now() - 86_400_000).toISOString()
  const provider = await newWorld(providerBroker, { seed: 'upstream', start, hours: 'always' })
  const proxy = await openProxy(providerBroker.url)
  const env = { ...upstreamOf(proxy.url, provider), ...settings }
  const broker = await startBroker(['--data', newFolder()], env)
  return {
    provider,
    proxy,
    broker,
    async close() {
      await broker.stop()
      proxy.close()
    },
  }
}

/** Opens a data stream that collects all data messages. */
export async function listen(keys: Keys, path: string, lists: Readonly<Record<string, readonly string[]>>) {
  const client = await StreamClient.open(keys.url + path)
  await client.next()
  await client.request({ action: 'auth', key: keys.keyId, secret: keys.secretKey })
  await client.request({ action: 'subscribe', ...lists })
  const received: Body[] = []
  const gather = async () => {
    for (const messages of await client.rest()) received.push(...messages)
    return received
  }
  return { client, gather }
}

export const get = async (keys: Keys, path: string): Promise<Body> => (await call(keys, 'GET', path)).body
