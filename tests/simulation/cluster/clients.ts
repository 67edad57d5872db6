import assert from 'node:assert/strict'
import type { Random } from '../../support/random.ts'
import type { Note } from '../faults/store.ts'
import { type Body, type CallResponse, call, type Key, operator } from './calls.ts'
import type { SimulatedCluster } from './cluster.ts'
import { UpdatesClient } from './socket.ts'

/** What a client knows about a request that changes something. `refused` and `unavailable` were not applied. */
export type Known = 'acknowledged' | 'unavailable' | 'unknown'

/** A world with accounts, and all requests of its clients by a mark that is different in each. */
export type ClientWorld = {
  readonly world: string
  readonly key: Key
  readonly partner: Key
  readonly accountId: string
  /** The account that only journals use. */
  readonly journalsId: string
  /** Orders by their quantity. */
  readonly orders: Map<string, Known>
  /** Journals to other worlds by their amount. */
  readonly journals: Map<string, Known>
  /** New symbols. */
  readonly symbols: Map<string, Known>
  readonly streams: UpdatesClient[]
  /** The highest event number of all responses. */
  seq: number
  reads: number
}

export type ClientsParts = {
  readonly cluster: SimulatedCluster
  readonly random: Random
  readonly note: Note
}

/** Clients of all worlds. They send requests to any node, one after the other, until `stop`. */
export class Clients {
  readonly #parts: ClientsParts
  readonly worlds: ClientWorld[] = []
  /** Whether nothing is written for now. */
  isReadOnly = false
  #isOver = false
  #sent = 0

  constructor(parts: ClientsParts) {
    this.#parts = parts
  }

  async create(world: string, settings: object = {}): Promise<ClientWorld> {
    const created = await this.tryCreate(world, settings)
    assert(created, `${world} was not created`)
    this.worlds.push(created)
    return created
  }

  /** Asks once for a world that the clients do not use by themselves. Returns undefined if it was not acknowledged. */
  async tryCreate(world: string, settings: object): Promise<ClientWorld | undefined> {
    const wanted = { world, durable: true, clock: 'wall', fees: 'none', accounts: 2, ...settings }
    const response = await this.asOperator('POST', '/sim/v1/worlds', wanted)
    if (response.kind === 'closed' || response.status !== 201) return undefined
    const { body } = response
    const [first, second] = body.accounts
    return {
      world,
      key: keyOf(first),
      partner: keyOf(body.partner),
      accountId: first.account_id,
      journalsId: second.account_id,
      ...{ orders: new Map(), journals: new Map(), symbols: new Map(), streams: [], seq: body.seq, reads: 0 },
    }
  }

  asOperator(method: string, path: string, body?: object): Promise<CallResponse> {
    return this.#call(operator, method, path, body)
  }

  /** The same at one node. */
  asOperatorAt({ url }: { readonly url: string }, method: string, path: string): Promise<CallResponse> {
    return call(url, operator, method, path)
  }

  /** Resolves when all clients have stopped. A failed check rejects. */
  async run(): Promise<void> {
    const [first] = this.worlds
    const loops = this.worlds.flatMap((world) => [
      this.#write(100, () => this.place(world)),
      this.#repeat(100, () => this.#read(world)),
      this.#write(400, () => this.#sendMoney(world)),
    ])
    await Promise.all([...loops, this.#write(400, () => this.#addSymbol(first!))])
  }

  stop(): void {
    this.#isOver = true
  }

  /** Listens to the trade updates of each world at each node that runs. A stream that ended is not replaced. */
  listen(): void {
    for (const { key, streams } of this.worlds)
      for (const { url } of this.#parts.cluster.running)
        if (!streams.some((stream) => stream.url === url && stream.isOpen))
          streams.push(new UpdatesClient(url, key))
  }

  #write(pauseMs: number, request: () => Promise<void>): Promise<void> {
    return this.#repeat(pauseMs, async () => {
      if (!this.isReadOnly) await request()
    })
  }

  async #repeat(pauseMs: number, request: () => Promise<void>): Promise<void> {
    const { cluster, random } = this.#parts
    while (!this.#isOver) {
      await request()
      await cluster.sleep(random.integer(1, 2 * pauseMs))
    }
  }

  #call(key: Key, method: string, path: string, body?: object): Promise<CallResponse> {
    const { cluster, random } = this.#parts
    const node = random.pick(cluster.running.length > 0 ? cluster.running : cluster.nodes)
    return call(node.url, key, method, path, body)
  }

  /** Buys a quantity that no other request has, at a price that nobody accepts. */
  async place(of: ClientWorld): Promise<void> {
    const qty = String(++this.#sent)
    const order = {
      symbol: 'AAPL',
      qty,
      side: 'buy',
      type: 'limit',
      limit_price: '0.01',
      time_in_force: 'gtc',
    }
    of.orders.set(qty, 'unknown')
    const response = await this.#call(of.key, 'POST', '/v2/orders', order)
    of.orders.set(qty, this.#known(of, `order ${qty}`, response))
  }

  async #read(of: ClientWorld): Promise<void> {
    const least = of.seq
    const response = await this.#call(of.key, 'GET', '/v2/account')
    const known = this.#known(of, 'read', response)
    if (known !== 'acknowledged' || response.kind === 'closed') return
    assert(
      response.seq >= least,
      `${of.world}: event ${response.seq} was read after a response had event ${least}`,
    )
    of.reads += 1
  }

  async #sendMoney(of: ClientWorld): Promise<void> {
    const { random } = this.#parts
    const to = random.pick(this.worlds.filter(({ world }) => world !== of.world))
    const amount = (++this.#sent / 100).toFixed(2)
    of.journals.set(amount, 'unknown')
    const response = await this.#call(of.partner, 'POST', '/v1/journals', {
      entry_type: 'JNLC',
      from_account: of.journalsId,
      to_account: to.journalsId,
      to_world: to.world,
      amount,
    })
    of.journals.set(amount, this.#known(of, `journal ${amount}`, response))
  }

  async #addSymbol(of: ClientWorld): Promise<void> {
    const symbol = `ZZ${String(++this.#sent)
      .padStart(4, '0')
      .replace(/\d/g, (digit) => 'ABCDEFGHIJ'[Number(digit)]!)}`
    of.symbols.set(symbol, 'unknown')
    const response = await this.asOperator('POST', `/sim/v1/worlds/${of.world}/assets`, {
      symbol,
      price: '10',
    })
    of.symbols.set(symbol, this.#known(undefined, symbol, response))
  }

  /** What a response proves. Clients of a cluster get no other responses than success and 503. */
  #known(of: ClientWorld | undefined, request: string, response: CallResponse): Known {
    const outcome = response.kind === 'closed' ? 'closed' : response.status
    this.#parts.note(`${of?.world ?? 'operator'} ${request}: ${outcome}`)
    if (response.kind === 'closed') return 'unknown'
    const { status, body, headers, seq } = response
    if (status === 503) {
      assert('retry-after' in headers, `503 without Retry-After: ${JSON.stringify(body)}`)
      return 'unavailable'
    }
    assert(status < 300, `${of?.world} ${request}: ${status} ${JSON.stringify(body)}`)
    if (of && seq > of.seq) of.seq = seq
    return 'acknowledged'
  }
}

const keyOf = ({ key_id, secret_key }: Body): Key => ({ keyId: key_id, secretKey: secret_key })
