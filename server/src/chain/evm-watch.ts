import { setTimeout as sleep } from 'node:timers/promises'
import { type Instant, type NamedFact, pauseAfter, type TransferFact, tokensOf } from '@quipu/core'
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
      await this.#followed(() => this.#round())
      await sleep(LOOK_EVERY_MS, undefined, { ref: false, signal }).catch(() => undefined)
    }
  }

  async #followed(step: () => Promise<void>): Promise<void> {
    await step().catch((error: Error) =>
      this.#warn('chain', 'the chain cannot be followed', { error: error.message }),
    )
  }

  /** What cannot be looked at holds nothing up that is to be burned: it says for itself what goes wrong. */
  async #round(): Promise<void> {
    if (!this.#world.isUp) return
    await this.#parts.meet(this.#book)
    await this.#followed(() => this.#look())
    await burnAll(this.#parts, this.#world, this.#book)
    await this.#forget()
  }

  /** Looks through all blocks that are deep enough and were not looked through. */
  async #look(): Promise<void> {
    await this.#parts.tokens.learnGiven(this.#book)
    const last = await this.#parts.sender.last()
    const book = this.#book
    this.#at ??= book.seen!.block
    while (this.#at < last && !this.#ending.signal.aborted) {
      const to: bigint = this.#at + BLOCKS_MAX < last ? this.#at + BLOCKS_MAX : last
      const arrivals = await this.#arrivals(this.#at + 1n, to)
      const foreign = await this.#take(arrivals)
      const seen = book.seen!
      if (arrivals.length > 0 || to - seen.block >= NOTE_EVERY)
        await book.note(...foreign, [book.names.seen, { ...seen, block: to }])
      this.#at = to
    }
  }

  /** Each is written down as it is taken; of tokens that nobody here knows, as many as fit are given back for that. */
  async #take(arrivals: readonly Arrival[]): Promise<readonly NamedFact[]> {
    const foreign: NamedFact[] = []
    let room = STRANGERS_MAX - this.#book.transfers().filter(([, { symbol }]) => symbol === undefined).length
    for (const arrival of arrivals) {
      const facts = await takeArrival(this.#world, this.#book, arrival)
      const isForeign = facts.some(([, fact]) => fact?.fact === 'transfer' && fact.symbol === undefined)
      if (!isForeign) await this.#book.note(...facts)
      else if (room-- > 0) foreign.push(...facts)
      else this.#warn('spam', 'foreign tokens came to the redemption wallet', { tx: arrival.txHash })
    }
    return foreign
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
      // Anybody may move nothing of anybody's.
      if (wallet === NOBODY || wallet === sender.address || BigInt(log.data) === 0n) continue
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

const PROBLEM_MAX = 200

/** Tokens whose shares have moved are no more. One that fails is put off, and holds up no other. */
export async function burnAll(parts: EvmParts, world: ChainWorld, book: EvmBook): Promise<void> {
  const { block } = book.seen!
  // Until its block counts as seen, it may be looked at again, and must then be found here.
  for (const [name, transfer] of book.transfers()) {
    if (!transfer.redeem || transfer.block > block || (transfer.burn?.due ?? 0n) > world.now) continue
    await burnOne(parts, world, book, [name, transfer]).catch((error: Error) =>
      book.note([name, { ...transfer, burn: failed(transfer, world.now, error.message) }]),
    )
  }
}

function failed({ burn, redeem }: TransferFact, now: Instant, problem: string) {
  const attempts = (burn?.attempts ?? 0) + 1
  const due = (now + pauseAfter(attempts, redeem!.requestId)) as Instant
  return { attempts, due, problem: problem.slice(0, PROBLEM_MAX) }
}

async function burnOne(
  parts: EvmParts,
  world: ChainWorld,
  book: EvmBook,
  [name, transfer]: readonly [string, TransferFact],
): Promise<void> {
  const { redeem, burn: _, ...rest } = transfer
  const { accountId, requestId } = redeem!
  const request = world.view.requests.get(requestId) ?? (await world.views.request(accountId, requestId))
  if (request?.status === 'rejected')
    return book.note([name, { ...rest, trouble: `the redeem was rejected: ${request.reason ?? ''}` }])
  const token = book.token(transfer.symbol ?? '')
  if (request?.status !== 'completed' || !token) return
  const about = `burn/${requestId}`
  const id = { bytes32: book.idOf(requestId) }
  if (token.ours && !(await isUsed(parts, token, id.bytes32))) {
    const data = callOf('burn(uint256,bytes32)', [{ number: unitsOf(tokensOf(request), token) }, id])
    if (!(await parts.sender.attempt(book, about, { to: token.address, data }))) return
  }
  await book.note([name, null], [book.names.sent(about), null])
}
