import { setTimeout as sleep } from 'node:timers/promises'
import { type NamedFact, type TransferFact, tokensOf } from '@quipu/core'
import { type ChainWorld, EvmBook } from './evm-book.ts'
import { addressIn, callOf, TRANSFER } from './evm-calls.ts'
import { type EvmParts, isUsed, topicOfAddress } from './evm-mint.ts'
import { type Arrival, takeArrival } from './evm-redeem.ts'
import { hexOf, numberIn } from './evm-rpc.ts'
import { unitsOf } from './evm-tokens.ts'

const LOOK_EVERY_MS = 1_000
/** Blocks that a node is asked about at once. */
const BLOCKS_MAX = 1_000n
/** How many blocks may be looked through again after a restart. */
const NOTE_EVERY = 200n
/** Anyone can send anything: what no issuer here knows fills no more than this. */
const STRANGERS_MAX = 1_000
const NOBODY = `0x${'0'.repeat(40)}`

/** Tells whoever runs the program; the same kind of thing not too often. */
export type Warn = (kind: string, message: string, facts: { readonly [name: string]: string }) => void

/** Follows a network for a world: what arrives is redeemed, what is redeemed is burned. */
export class EvmWatch {
  readonly #parts: EvmParts
  readonly #world: ChainWorld
  readonly #book: EvmBook
  readonly #warn: Warn
  readonly #ending = new AbortController()
  /** Looked through in this life; what is written down may be a little behind. */
  #at: bigint | undefined
  #running: Promise<void> | undefined

  constructor(parts: EvmParts, world: ChainWorld, network: string, warn: Warn) {
    this.#parts = parts
    this.#world = world
    this.#book = new EvmBook(world, network)
    this.#warn = warn
  }

  start(): void {
    this.#running ??= this.#run()
  }

  async stop(): Promise<void> {
    this.#ending.abort()
    await this.#running
  }

  async #run(): Promise<void> {
    const { signal } = this.#ending
    while (!signal.aborted) {
      await this.#round().catch((error: Error) =>
        this.#warn('chain', 'the chain cannot be followed', { error: error.message }),
      )
      await sleep(LOOK_EVERY_MS, undefined, { ref: false, signal }).catch(() => undefined)
    }
  }

  async #round(): Promise<void> {
    if (!this.#world.isUp) return
    await this.#parts.meet(this.#book)
    await this.#parts.tokens.learnGiven(this.#book)
    await this.#look()
    await this.#burn()
    await this.#forget()
  }

  /** Looks through all blocks that are deep enough and were not looked through. */
  async #look(): Promise<void> {
    const last = await this.#parts.sender.last()
    const book = this.#book
    this.#at ??= book.seen!.block
    while (this.#at < last && !this.#ending.signal.aborted) {
      const to: bigint = this.#at + BLOCKS_MAX < last ? this.#at + BLOCKS_MAX : last
      const arrivals = await this.#arrivals(this.#at + 1n, to)
      for (const arrival of arrivals) await this.#take(arrival)
      const seen = book.seen!
      if (arrivals.length > 0 || to - seen.block >= NOTE_EVERY)
        await book.note([book.names.seen, { ...seen, block: to }])
      this.#at = to
    }
  }

  async #take(arrival: Arrival): Promise<void> {
    const facts = await takeArrival(this.#world, this.#book, arrival)
    if (!this.#isSpam(facts)) return this.#book.note(...facts)
    this.#warn('spam', 'foreign tokens came to the redemption wallet', { tx: arrival.txHash })
  }

  #isSpam(facts: readonly NamedFact[]): boolean {
    const isForeign = facts.some(([, fact]) => fact?.fact === 'transfer' && fact.symbol === undefined)
    return isForeign && this.#book.transfers().length >= STRANGERS_MAX
  }

  async #arrivals(from: bigint, to: bigint): Promise<readonly Arrival[]> {
    const { rpc, sender } = this.#parts
    const logs = (await rpc('eth_getLogs', [
      {
        fromBlock: hexOf(from),
        toBlock: hexOf(to),
        topics: [TRANSFER, null, topicOfAddress(sender.address)],
      },
    ])) as readonly RawLog[]
    const named = new Set<string>()
    const arrivals: Arrival[] = []
    for (const log of logs) {
      // Three topics have tokens that can be counted; four have those of which each is another.
      if (log.topics.length !== 3 || !/^0x[0-9a-fA-F]{64}$/.test(log.data)) continue
      const wallet = addressIn(log.topics[1]!)
      if (wallet === NOBODY || wallet === sender.address) continue
      const { transactionHash: txHash } = log
      const logIndex = Number(log.logIndex)
      const issuerRequestId = named.has(txHash) ? `${txHash}:${logIndex}` : txHash
      named.add(txHash)
      const [units, block] = [BigInt(log.data), numberIn(log.blockNumber)]
      arrivals.push({
        address: log.address.toLowerCase(),
        wallet,
        units,
        txHash,
        logIndex,
        block,
        issuerRequestId,
      })
    }
    return arrivals
  }

  /** Tokens whose shares have moved are no more. */
  async #burn(): Promise<void> {
    const seen = this.#book.seen!
    // Until its block counts as seen, it may be looked at again, and must then be found here.
    for (const [name, transfer] of this.#book.transfers())
      if (transfer.redeem && transfer.block <= seen.block) await this.#burnOne(name, transfer)
  }

  async #burnOne(name: string, transfer: TransferFact): Promise<void> {
    const { redeem, ...rest } = transfer
    const { accountId, requestId } = redeem!
    const request =
      this.#world.view.requests.get(requestId) ?? (await this.#world.views.request(accountId, requestId))
    const book = this.#book
    if (request?.status === 'rejected')
      return book.note([name, { ...rest, trouble: `the redeem was rejected: ${request.reason ?? ''}` }])
    const token = book.token(transfer.symbol ?? '')
    if (request?.status !== 'completed' || !token) return
    const about = `burn/${requestId}`
    const id = { bytes32: book.idOf(requestId) }
    if (token.ours && !(await isUsed(this.#parts, token, id.bytes32))) {
      const data = callOf('burn(uint256,bytes32)', [{ number: unitsOf(tokensOf(request), token) }, id])
      if (!(await this.#parts.sender.attempt(book, about, { to: token.address, data }))) return
    }
    await book.note([name, null], [book.names.sent(about), null])
  }

  /** Mints that are in the books need no other proof. */
  async #forget(): Promise<void> {
    const { requests } = this.#world.view
    const facts: NamedFact[] = []
    for (const [name] of this.#book.all('sent')) {
      const [, , kind, requestId] = name.split('/')
      const request = kind === 'mint' && requests.get(requestId as never)
      if (kind === 'mint' && (!request || request.status === 'completed')) facts.push([name, null])
    }
    if (facts.length > 0) await this.#book.note(...facts)
  }
}

type RawLog = {
  readonly address: string
  readonly topics: readonly string[]
  readonly data: string
  readonly transactionHash: string
  readonly logIndex: string
  readonly blockNumber: string
}
