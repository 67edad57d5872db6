import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createBlock } from '@ethereumjs/block'
import { createCustomCommon, Hardfork, Mainnet } from '@ethereumjs/common'
import { createTxFromRLP } from '@ethereumjs/tx'
import {
  type Address,
  bytesToHex,
  createAccount,
  createAddressFromString,
  hexToBytes,
} from '@ethereumjs/util'
import { createVM, runTx, type VM } from '@ethereumjs/vm'

const CHAIN_ID = 31_337
const GAS = 30_000_000n
const FEE = 7n

/** The rules of the chain, with the chain id of anvil. */
export const common = createCustomCommon({ chainId: CHAIN_ID }, Mainnet, { hardfork: Hardfork.Paris })
/** The rules of networks that support only legacy transactions. */
const legacy = createCustomCommon({ chainId: CHAIN_ID }, Mainnet, { hardfork: Hardfork.Istanbul })

/** The chain id of a node, and its fees: EIP-1559 (`market`) or a legacy gas price (`price`). */
export type NodeKind = { readonly chainId?: number; readonly fees?: 'market' | 'price' }

type Params = readonly unknown[]
type Log = {
  readonly address: string
  readonly topics: readonly string[]
  readonly data: string
  readonly blockNumber: string
  readonly transactionHash: string
  readonly logIndex: string
}
type Receipt = { readonly blockNumber: string; readonly transactionHash: string; readonly status: string }

/** The handling of a call: answered, executed without a response, or dropped. */
export type CallHandling = 'answer' | 'loseResponse' | 'drop'

/** The interface of a node for tests. */
export type ChainNode = {
  readonly url: string
  request(method: string, params: readonly unknown[]): Promise<unknown>
  close(): Promise<void>
}

/**
 * A test node: a chain in memory with one block for each transaction, served as JSON-RPC over HTTP. It supports only the
 * methods that a broker uses.
 */
export class TestNode implements ChainNode {
  readonly methods: string[] = []
  handling: (method: string) => CallHandling = () => 'answer'
  /** Whether the node answers every call with status 503. */
  isUnavailable = false
  readonly #vm: VM
  readonly #chainId: number
  readonly #logs: Log[] = []
  readonly #receipts = new Map<string, Receipt>()
  readonly #sent = new Map<string, { readonly type: string; readonly gasPrice: string }>()
  readonly #server = createServer((request, response) => void this.#serve(request, response))
  #height = 0n
  #queue: Promise<unknown> = Promise.resolve()

  private constructor(vm: VM, chainId: number) {
    this.#vm = vm
    this.#chainId = chainId
  }

  /** Starts a node with a balance for each of these addresses. */
  static async start(funded: readonly string[], { chainId = CHAIN_ID, fees = 'market' }: NodeKind = {}) {
    const vm = await createVM({ common: fees === 'market' ? common : legacy })
    for (const address of funded)
      await vm.stateManager.putAccount(
        createAddressFromString(address),
        createAccount({ balance: 10n ** 24n, nonce: 0n }),
      )
    const node = new TestNode(vm, chainId)
    node.#server.listen(0, '127.0.0.1')
    await once(node.#server, 'listening')
    return node
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  /** Adds empty blocks. */
  mine(blocks: number): void {
    this.#height += BigInt(blocks)
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    this.#server.close()
    await once(this.#server, 'close')
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const pieces: Buffer[] = []
    for await (const piece of request) pieces.push(piece as Buffer)
    const { id, method, params } = JSON.parse(Buffer.concat(pieces).toString())
    this.methods.push(method)
    if (this.isUnavailable) return void response.writeHead(503).end('busy')
    const handling = this.handling(method)
    if (handling === 'drop') return
    const result = this.#queue.then(() => this.request(method, params))
    this.#queue = result.catch(() => undefined)
    const received = await result.then(
      (result) => ({ result }),
      (error: Error) => ({ error: { code: -32_000, message: error.message } }),
    )
    if (handling === 'loseResponse') return
    response.setHeader('Content-Type', 'application/json')
    response.end(JSON.stringify({ jsonrpc: '2.0', id, ...received }))
  }

  /** Runs one JSON-RPC call. */
  async request(method: string, params: Params): Promise<unknown> {
    const [first, second] = params as [never, never]
    switch (method) {
      case 'eth_chainId':
        return hex(BigInt(this.#chainId))
      case 'eth_blockNumber':
        return hex(this.#height)
      case 'eth_getBlockByNumber':
        return { number: hex(this.#height), ...(this.#hasMarket && { baseFeePerGas: hex(FEE) }) }
      case 'eth_maxPriorityFeePerGas':
        if (!this.#hasMarket) throw new Error(`the method ${method} does not exist`)
        return hex(1n)
      case 'eth_gasPrice':
        return hex(FEE)
      case 'eth_getTransactionCount':
        return hex((await this.#vm.stateManager.getAccount(createAddressFromString(first)))?.nonce ?? 0n)
      case 'eth_estimateGas':
        await this.#call(first)
        return hex(GAS / 10n)
      case 'eth_call':
        return this.#call(first)
      case 'eth_sendRawTransaction':
        return this.#run(first)
      case 'eth_getTransactionReceipt':
        return this.#receipts.get(first) ?? null
      case 'eth_getTransactionByHash':
        return this.#sent.get(first) ?? null
      case 'eth_getLogs':
        return this.#logs.filter((log) => matches(log, first, this.#height))
      default:
        throw new Error(`the method ${method} does not exist (${second})`)
    }
  }

  get #hasMarket(): boolean {
    return this.#vm.common.isActivatedEIP(1559)
  }

  async #call({ from, to, data }: { from?: string; to?: string; data: `0x${string}` }): Promise<string> {
    await this.#vm.stateManager.checkpoint()
    try {
      const { execResult } = await this.#vm.evm.runCall({
        ...(from ? { caller: createAddressFromString(from), origin: createAddressFromString(from) } : {}),
        ...(to ? { to: createAddressFromString(to) } : {}),
        data: hexToBytes(data),
        gasLimit: GAS,
        block: this.#block(),
      } as Parameters<VM['evm']['runCall']>[0])
      if (execResult.exceptionError)
        throw new Error(`execution reverted: ${bytesToHex(execResult.returnValue)}`)
      return bytesToHex(execResult.returnValue)
    } finally {
      await this.#vm.stateManager.revert()
    }
  }

  #block() {
    const header = {
      number: this.#height + 1n,
      gasLimit: GAS,
      ...(this.#hasMarket && { baseFeePerGas: FEE }),
      timestamp: this.#height + 1n,
    }
    return createBlock({ header }, { common: this.#vm.common })
  }

  async #run(raw: `0x${string}`): Promise<string> {
    const tx = createTxFromRLP(hexToBytes(raw), { common: this.#vm.common })
    const transactionHash = bytesToHex(tx.hash())
    if (this.#receipts.has(transactionHash)) throw new Error('already known')
    const { receipt, createdAddress, execResult } = await runTx(this.#vm, { tx, block: this.#block() })
    this.#height += 1n
    const blockNumber = hex(this.#height)
    const position = { blockNumber, transactionHash }
    if (!execResult.exceptionError)
      receipt.logs.forEach(([address, topics, data], index) => {
        const event = { address: bytesToHex(address), topics: topics.map((topic) => bytesToHex(topic)) }
        this.#logs.push({ ...event, data: bytesToHex(data), ...position, logIndex: hex(BigInt(index)) })
      })
    const status = execResult.exceptionError ? '0x0' : '0x1'
    const contractAddress = createdAddress ? (createdAddress as Address).toString() : null
    this.#receipts.set(transactionHash, { ...position, status, contractAddress } as Receipt)
    const price = 'gasPrice' in tx ? tx.gasPrice : FEE
    this.#sent.set(transactionHash, { type: hex(BigInt(tx.type)), gasPrice: hex(price) })
    return transactionHash
  }
}

type Filter = {
  readonly fromBlock: string
  readonly toBlock: string
  readonly address?: string
  readonly topics: readonly (string | null)[]
}

function matches(log: Log, { fromBlock, toBlock, address, topics }: Filter, height: bigint): boolean {
  const to = toBlock === 'latest' ? height : BigInt(toBlock)
  if (BigInt(log.blockNumber) < BigInt(fromBlock) || BigInt(log.blockNumber) > to) return false
  if (address && address !== log.address) return false
  return topics.every((topic, index) => topic === null || topic === log.topics[index])
}

const hex = (value: bigint): string => `0x${value.toString(16)}`
