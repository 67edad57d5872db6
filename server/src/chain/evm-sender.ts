import { setTimeout as sleep } from 'node:timers/promises'
import type { NamedFact } from '@quipu/core'
import { addr, Transaction } from 'micro-eth-signer'
import type { EvmBook } from './evm-book.ts'
import { NodeRefused, numberIn, type Rpc } from './evm-rpc.ts'

export type Call = { readonly to?: string; readonly data: string }
export type Receipt = {
  readonly transactionHash: string
  readonly blockNumber: string
  readonly status: string
  readonly contractAddress: string | null
}

/** Networks differ in how they are paid. */
type Fees =
  | { readonly gasPrice: bigint }
  | { readonly maxFeePerGas: bigint; readonly maxPriorityFeePerGas: bigint }

/** What else is to be written down, asked for when it is: others may have written meanwhile. */
export type Facts = () => readonly NamedFact[]
const nothing: Facts = () => []

const LOOK_EVERY_MS = 200
/** Whoever waits is told to come again before the job's own time is over. */
const WAIT_MS = 90_000
const GWEI = 1_000_000_000n

/** Signs with one key, and sends what it has signed exactly once, however often it is asked. */
export class EvmSender {
  readonly address: string
  readonly #rpc: Rpc
  readonly #key: string
  readonly #confirmations: bigint
  #turn: Promise<unknown> = Promise.resolve()

  constructor(rpc: Rpc, { key, confirmations }: { readonly key: string; readonly confirmations: number }) {
    this.#rpc = rpc
    this.#key = key
    this.#confirmations = BigInt(confirmations)
    this.address = addr.fromPrivateKey(key).toLowerCase()
  }

  /**
   * Has a call made once under a name, and resolves when it is final. What is signed is written down before it is
   * sent, with whatever else is then known: asked again, it looks for that transaction, and sends the same again.
   */
  async once(book: EvmBook, about: string, call: Call, facts: Facts = nothing): Promise<Receipt> {
    const sent = await this.#sendOnce(book, about, call, facts)
    return this.#held(book, about, await this.#final(sent.txHash))
  }

  /** The same without waiting: nothing where it is not final yet. */
  async attempt(book: EvmBook, about: string, call: Call): Promise<Receipt | undefined> {
    const receipt = await this.#finalNow((await this.#sendOnce(book, about, call, nothing)).txHash)
    return receipt && this.#held(book, about, receipt)
  }

  #sendOnce(book: EvmBook, about: string, call: Call, facts: Facts): Promise<{ readonly txHash: string }> {
    const name = book.names.sent(about)
    return this.#inTurn(async () => (await this.#again(book, about)) ?? this.#sign(book, name, call, facts))
  }

  /** One that the chain undid is made anew by whoever asks next. */
  async #held(book: EvmBook, about: string, receipt: Receipt): Promise<Receipt> {
    if (numberIn(receipt.status) === 1n) return receipt
    await book.note([book.names.sent(about), null])
    throw new Error(`the transaction ${receipt.transactionHash} was reverted`)
  }

  /** One after the other: each transaction has the number after the last. */
  #inTurn<Value>(make: () => Promise<Value>): Promise<Value> {
    const mine = this.#turn.then(make)
    this.#turn = mine.catch(() => undefined)
    return mine
  }

  /** What was signed before, if it is on the chain or can still come there. */
  async #again(book: EvmBook, about: string): Promise<{ readonly txHash: string } | undefined> {
    const sent = book.sent(about)
    if (!sent) return undefined
    // Asked in this order: whatever has its number now, and is not it, will stay there in its place.
    const mined = numberIn(await this.#rpc('eth_getTransactionCount', [this.address, 'latest']))
    if (await this.#receipt(sent.txHash)) return sent
    if (mined > sent.nonce) return void (await book.note([book.names.sent(about), null]))
    await this.#send(sent.raw)
    return sent
  }

  async #sign(book: EvmBook, name: string, call: Call, facts: Facts): Promise<{ readonly txHash: string }> {
    const { network } = book
    const from = { from: this.address, data: call.data, ...(call.to ? { to: call.to } : {}) }
    const [gas, nonce, chainId, fees] = await Promise.all([
      this.#rpc('eth_estimateGas', [from]).then(numberIn),
      this.#rpc('eth_getTransactionCount', [this.address, 'pending']).then(numberIn),
      this.#rpc('eth_chainId', []).then(numberIn),
      this.#fees(),
    ])
    const rest = {
      nonce,
      chainId,
      to: call.to ?? '0x',
      value: 0n,
      data: call.data,
      gasLimit: (gas * 5n) / 4n,
    }
    const signed = (
      'gasPrice' in fees
        ? Transaction.prepare({ type: 'legacy', ...rest, ...fees }, false)
        : Transaction.prepare({ ...rest, ...fees }, false)
    ).signBy(this.#key)
    const [raw, txHash] = [signed.toHex(), `0x${signed.hash.replace(/^0x/, '')}`]
    await book.note([name, { fact: 'sent', network, txHash, raw, nonce }], ...facts())
    await this.#send(raw)
    return { txHash }
  }

  /** Twice what blocks cost now, so that it is taken even where they become dearer. */
  async #fees(): Promise<Fees> {
    const block = (await this.#rpc('eth_getBlockByNumber', ['latest', false])) as {
      baseFeePerGas?: string | null
    }
    if (block.baseFeePerGas == null) return { gasPrice: numberIn(await this.#rpc('eth_gasPrice', [])) }
    const tip = await this.#rpc('eth_maxPriorityFeePerGas', []).then(numberIn, () => GWEI)
    return { maxFeePerGas: 2n * numberIn(block.baseFeePerGas) + tip, maxPriorityFeePerGas: tip }
  }

  /** A node that has it already says so in words of its own; whether it came there, its receipt tells. */
  async #send(raw: string): Promise<void> {
    await this.#rpc('eth_sendRawTransaction', [raw]).catch((error: unknown) => {
      if (!(error instanceof NodeRefused) || !/known|exist|imported|nonce too low/i.test(error.message))
        throw error
    })
  }

  async #final(txHash: string): Promise<Receipt> {
    const until = performance.now() + WAIT_MS
    while (performance.now() < until) {
      const receipt = await this.#finalNow(txHash)
      if (receipt) return receipt
      await sleep(LOOK_EVERY_MS, undefined, { ref: false })
    }
    throw new Error(`the transaction ${txHash} is not final yet`)
  }

  async #finalNow(txHash: string): Promise<Receipt | undefined> {
    const receipt = await this.#receipt(txHash)
    return receipt && (await this.last()) >= numberIn(receipt.blockNumber) ? receipt : undefined
  }

  /** The last block that is deep enough to be believed. */
  async last(): Promise<bigint> {
    return numberIn(await this.#rpc('eth_blockNumber', [])) - this.#confirmations + 1n
  }

  async #receipt(txHash: string): Promise<Receipt | undefined> {
    return ((await this.#rpc('eth_getTransactionReceipt', [txHash])) as Receipt | null) ?? undefined
  }
}
