import { setTimeout as sleep } from 'node:timers/promises'
import type { NamedFact } from '@quipu/core'
import { addr, Transaction } from 'micro-eth-signer'
import type { EvmRecords } from './evm-records.ts'
import { NodeRefused, numberIn, type Rpc } from './evm-rpc.ts'

export type ContractCall = { readonly to?: string; readonly data: string }
export type Receipt = {
  readonly transactionHash: string
  readonly blockNumber: string
  readonly status: string
  readonly contractAddress: string | null
}

/** Networks have different fee markets. */
type Fees =
  | { readonly gasPrice: bigint }
  | { readonly maxFeePerGas: bigint; readonly maxPriorityFeePerGas: bigint }

/** Further facts to store with the transaction, read at that moment because they may change. */
export type TransactionFacts = () => readonly NamedFact[]
const nothing: TransactionFacts = () => []

const POLL_MS = 200
/** Shorter than the time limit of a job; the caller then retries. */
const WAIT_MS = 90_000
const GWEI = 1_000_000_000n

/** Signs with one key, and sends each signed transaction exactly once. */
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
   * Makes a call once per name, and resolves when it is final. The signed transaction is stored before it is
   * sent, together with other facts. A repeated call looks that transaction up, and sends the same one again.
   */
  async once(
    records: EvmRecords,
    about: string,
    call: ContractCall,
    facts: TransactionFacts = nothing,
  ): Promise<Receipt> {
    const sent = await this.#sendOnce(records, about, call, facts)
    return this.#checked(records, about, await this.#final(sent.txHash))
  }

  /** The same without waiting: undefined if it is not final yet. */
  async attempt(records: EvmRecords, about: string, call: ContractCall): Promise<Receipt | undefined> {
    const receipt = await this.#finalNow((await this.#sendOnce(records, about, call, nothing)).txHash)
    return receipt && this.#checked(records, about, receipt)
  }

  #sendOnce(
    records: EvmRecords,
    about: string,
    call: ContractCall,
    facts: TransactionFacts,
  ): Promise<{ readonly txHash: string }> {
    const name = records.names.sent(about)
    return this.#oneAtATime(
      async () => (await this.#sentBefore(records, about)) ?? this.#sign(records, name, call, facts),
    )
  }

  /** A reverted transaction is forgotten, so that the next call makes a new one. */
  async #checked(records: EvmRecords, about: string, receipt: Receipt): Promise<Receipt> {
    if (numberIn(receipt.status) === 1n) return receipt
    await records.store([records.names.sent(about), null])
    throw new Error(`the transaction ${receipt.transactionHash} was reverted`)
  }

  /** One at a time: each transaction has the next nonce. */
  #oneAtATime<Value>(make: () => Promise<Value>): Promise<Value> {
    const result = this.#turn.then(make)
    this.#turn = result.catch(() => undefined)
    return result
  }

  /** The transaction that was signed before, if it is on the chain or can still get there. */
  async #sentBefore(records: EvmRecords, about: string): Promise<{ readonly txHash: string } | undefined> {
    const sent = records.sent(about)
    if (!sent) return undefined
    // In this order: if another transaction has this nonce now, ours can never be mined.
    const mined = numberIn(await this.#rpc('eth_getTransactionCount', [this.address, 'latest']))
    if (await this.#receipt(sent.txHash)) return sent
    if (mined > sent.nonce) return void (await records.store([records.names.sent(about), null]))
    await this.#send(sent.raw)
    return sent
  }

  async #sign(
    records: EvmRecords,
    name: string,
    call: ContractCall,
    facts: TransactionFacts,
  ): Promise<{ readonly txHash: string }> {
    const { network } = records
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
    await records.store([name, { fact: 'sent', network, txHash, raw, nonce }], ...facts())
    await this.#send(raw)
    return { txHash }
  }

  /** Twice the current fee, so that the transaction is mined even if fees rise. */
  async #fees(): Promise<Fees> {
    const block = (await this.#rpc('eth_getBlockByNumber', ['latest', false])) as {
      baseFeePerGas?: string | null
    }
    if (block.baseFeePerGas == null) return { gasPrice: numberIn(await this.#rpc('eth_gasPrice', [])) }
    const tip = await this.#rpc('eth_maxPriorityFeePerGas', []).then(numberIn, () => GWEI)
    return { maxFeePerGas: 2n * numberIn(block.baseFeePerGas) + tip, maxPriorityFeePerGas: tip }
  }

  /** A node that knows the transaction already returns an error in its own words; the receipt shows the result. */
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
      await sleep(POLL_MS, undefined, { ref: false })
    }
    throw new Error(`the transaction ${txHash} is not final yet`)
  }

  async #finalNow(txHash: string): Promise<Receipt | undefined> {
    const receipt = await this.#receipt(txHash)
    return receipt && (await this.last()) >= numberIn(receipt.blockNumber) ? receipt : undefined
  }

  /** The newest block with enough confirmations. */
  async last(): Promise<bigint> {
    return numberIn(await this.#rpc('eth_blockNumber', [])) - this.#confirmations + 1n
  }

  async #receipt(txHash: string): Promise<Receipt | undefined> {
    return ((await this.#rpc('eth_getTransactionReceipt', [txHash])) as Receipt | null) ?? undefined
  }
}
