import assert from 'node:assert/strict'
import type { Services } from '../../http/services.ts'
import { openTestServer, type TestServer } from '../../http/testing/server.ts'
import { openStreams, type RunningStreams } from '../index.ts'
import type { Holder, Upstream } from './holder.ts'
import { Client, type Json } from './sockets.ts'

export const CLUSTER_SECRET = 'the secret of the nodes'

export const key = { action: 'auth', key: 'PK00AAAAAAAAAAAAAAAA', secret: 'secret' }
const authorized = { stream: 'authorization', data: { status: 'authorized', action: 'authenticate' } }
export const listening = { stream: 'listening', data: { streams: ['trade_updates'] } }
export const listen = { action: 'listen', data: { streams: ['trade_updates'] } }
export const updateOf = (id: string): Json => ({
  stream: 'trade_updates',
  data: { event_id: id, order: { notes: '.'.repeat(300) } },
})

/** A node with real clients. The other nodes are plain WebSocket servers, whose messages the tests write. */
export class RelayStage {
  readonly server: TestServer
  readonly services: Services
  streams: RunningStreams
  holder!: Holder
  world = 'main'
  isHeld = true
  isHere = false

  private constructor(server: TestServer) {
    this.server = server
    const cluster = {
      secret: CLUSTER_SECRET,
      view: { byCode: { worldOf: () => this.world }, refresh: async () => undefined },
      locations: {
        isHere: () => this.isHere,
        holderOf: () => (this.isHeld ? { name: 'holder', address: this.holder.address } : undefined),
      },
    } as unknown as Services['cluster']
    this.services = { ...server.services, cluster }
    this.streams = openStreams(this.services)
  }

  static async open(): Promise<RelayStage> {
    const server = await openTestServer({ upgrade: (...args) => stage.streams.upgrade(...args) })
    const stage = new RelayStage(server)
    return stage
  }

  get wsUrl(): string {
    return this.server.url.replace('http', 'ws')
  }

  /** A client that listens to trade updates at the holder. */
  async listener(): Promise<{ readonly client: Client; readonly upstream: Upstream }> {
    const client = await Client.open(`${this.wsUrl}/stream`)
    client.send(key)
    const upstream = await this.resumed()
    assert.deepEqual(await client.next(), authorized)
    client.send(listen)
    assert.deepEqual(await upstream.next(), listen)
    upstream.send(listening)
    assert.deepEqual(await client.next(), listening)
    return { client, upstream }
  }

  /** The next connection at the holder, which authenticates the client. */
  async resumed(): Promise<Upstream> {
    const upstream = await this.holder.next()
    assert.deepEqual(await upstream.next(), key)
    upstream.send(authorized)
    return upstream
  }

  async close(): Promise<void> {
    await this.streams.close()
    await this.server.close()
  }
}
