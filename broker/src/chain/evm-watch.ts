import { setTimeout as sleep } from 'node:timers/promises'
import {
  type Instant,
  itemAt,
  later,
  missing,
  type NamedFact,
  pauseAfter,
  type TransferFact,
  tokensOf,
} from '@quipu/core'
import { addressIn, callOf, TRANSFER } from './evm-calls.ts'
import { type EvmParts, isUsed, topicOfAddress } from './evm-mint.ts'
import { type ChainWorld, EvmRecords } from './evm-records.ts'
import { type Arrival, handleArrival } from './evm-redeem.ts'
import { hexOf, numberIn } from './evm-rpc.ts'
import { unitsOf } from './evm-tokens.ts'

const POLL_MS = 1_000
/** Number of blocks per query. */
const BLOCKS_MAX = 1_000n
/** Maximum number of blocks that are scanned again after a restart. */
const STORE_EVERY_BLOCKS = 200n
/** Maximum number of stored transfers of unknown tokens, because anyone can send anything. */
const UNKNOWN_TRANSFERS_MAX = 1_000
const ZERO_ADDRESS = `0x${'0'.repeat(40)}`

/** Warns the operator; similar warnings are rate-limited. */
export type Warn = (kind: string, message: string, facts: { readonly [name: string]: string }) => void

/** Follows a network for a world: redeems arriving tokens, and burns redeemed ones. */
export class EvmWatch {
  readonly #parts: EvmParts
  readonly #world: ChainWorld
  readonly #records: EvmRecords
  readonly #warn: Warn
  readonly #ending = new AbortController()
  /** The last scanned block of this process; the stored position may be slightly behind. */
  #at: bigint | undefined
  #running: Promise<void> | undefined

  constructor(parts: EvmParts, world: ChainWorld, network: string, warn: Warn) {
    this.#parts = parts
    this.#world = world
    this.#records = new EvmRecords(world, network)
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
      await this.#warnOnFailure(() => this.#runOnce())
      await sleep(POLL_MS, undefined, { ref: false, signal }).catch(() => undefined)
    }
  }

  async #warnOnFailure(step: () => Promise<void>): Promise<void> {
    await step().catch((error: Error) =>
      this.#warn('chain', 'the chain cannot be followed', { error: error.message }),
    )
  }

  /** A failing scan does not delay burns; each reports its own failures. */
  async #runOnce(): Promise<void> {
    if (!this.#world.status.isUp) return
    await this.#parts.connect(this.#records)
    await this.#warnOnFailure(() => this.#scan())
    await burnAll(this.#parts, this.#world, this.#records)
    await this.#deleteSentMints()
  }

  /** Scans all final blocks that were not scanned yet. */
  async #scan(): Promise<void> {
    await this.#parts.tokens.loadConfigured(this.#records)
    const last = await this.#parts.sender.last()
    const records = this.#records
    this.#at ??= (records.processed ?? missing('the last block')).block
    while (this.#at < last && !this.#ending.signal.aborted) {
      const to: bigint = this.#at + BLOCKS_MAX < last ? this.#at + BLOCKS_MAX : last
      const arrivals = await this.#arrivals(this.#at + 1n, to)
      const unknown = await this.#handle(arrivals)
      const processed = records.processed ?? missing('the last block')
      if (arrivals.length > 0 || to - processed.block >= STORE_EVERY_BLOCKS)
        await records.store(...unknown, [records.names.processed, { ...processed, block: to }])
      this.#at = to
    }
  }

  /** Stores each arrival when it is handled. Returns the facts of unknown tokens, up to the limit. */
  async #handle(arrivals: readonly Arrival[]): Promise<readonly NamedFact[]> {
    const unknown: NamedFact[] = []
    let remaining =
      UNKNOWN_TRANSFERS_MAX -
      this.#records.all('transfer').filter(([, { symbol }]) => symbol === undefined).length
    for (const arrival of arrivals) {
      const facts = await handleArrival(this.#world, this.#records, arrival)
      const isUnknown = facts.some(([, fact]) => fact?.fact === 'transfer' && fact.symbol === undefined)
      if (!isUnknown) await this.#records.store(...facts)
      else if (remaining-- > 0) unknown.push(...facts)
      else this.#warn('spam', 'unknown tokens arrived at the redemption wallet', { tx: arrival.txHash })
    }
    return unknown
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
      // Three topics mean a fungible token; four mean an NFT.
      if (log.topics.length !== 3 || !/^0x[0-9a-fA-F]{64}$/.test(log.data)) continue
      const wallet = addressIn(itemAt(log.topics, 1))
      // Anyone can transfer zero tokens of anyone.
      if (wallet === ZERO_ADDRESS || wallet === sender.address || BigInt(log.data) === 0n) continue
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

  /** Deletes the sent facts of mints that the ledger has. */
  async #deleteSentMints(): Promise<void> {
    const { requests } = this.#world.view
    const facts: NamedFact[] = []
    for (const [name] of this.#records.all('sent')) {
      const [, , kind, requestId] = name.split('/')
      const request = kind === 'mint' && requests.get(requestId as never)
      if (kind === 'mint' && (!request || request.status === 'completed')) facts.push([name, null])
    }
    if (facts.length > 0) await this.#records.store(...facts)
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

/** Burns redeemed tokens. A failed burn is retried later, and does not delay others. */
export async function burnAll(parts: EvmParts, world: ChainWorld, records: EvmRecords): Promise<void> {
  const { block } = records.processed ?? missing('the last block')
  // Until its block counts as scanned, the transfer may be read again and must then be found here.
  for (const [name, transfer] of records.all('transfer')) {
    if (!transfer.redeem || transfer.block > block || (transfer.burn?.due ?? 0n) > world.engine.now) continue
    await burnOne(parts, world, records, [name, transfer]).catch((error: Error) =>
      records.store([name, { ...transfer, burn: failed(transfer, world.engine.now, error.message) }]),
    )
  }
}

function failed({ burn, redeem }: TransferFact, now: Instant, problem: string) {
  const attempts = (burn?.attempts ?? 0) + 1
  const due = later(now, pauseAfter(attempts, (redeem ?? missing('the redemption')).requestId))
  return { attempts, due, problem: problem.slice(0, PROBLEM_MAX) }
}

async function burnOne(
  parts: EvmParts,
  world: ChainWorld,
  records: EvmRecords,
  [name, transfer]: readonly [string, TransferFact],
): Promise<void> {
  const { redeem, burn: _, ...rest } = transfer
  const { accountId, requestId } = redeem ?? missing('the redemption')
  const request =
    world.view.requests.get(requestId) ?? (await world.storage.queryTables.request(accountId, requestId))
  if (request?.status === 'rejected')
    return records.store([name, { ...rest, problem: `the redemption was rejected: ${request.reason ?? ''}` }])
  const token = records.token(transfer.symbol ?? '')
  if (request?.status !== 'completed' || !token) return
  const about = `burn/${requestId}`
  const id = { bytes32: records.idOf(requestId) }
  if (token.isQuipuToken && !(await isUsed(parts, token, id.bytes32))) {
    const data = callOf('burn(uint256,bytes32)', [{ number: unitsOf(tokensOf(request), token) }, id])
    if (!(await parts.sender.attempt(records, about, { to: token.address, data }))) return
  }
  await records.store([name, null], [records.names.sent(about), null])
}
