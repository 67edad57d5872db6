import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { accessSync, constants, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { createLegacyTx } from '@ethereumjs/tx'
import { bytesToHex, createAddressFromPrivateKey, hexToBytes } from '@ethereumjs/util'
import { freePort } from '../../broker/src/postgres/testing/free-port.ts'
import { type Body, type Broker, call, callAsOperator, newFolder, startBroker } from '../support/broker.ts'
import { waitUntil } from '../support/wait-until.ts'
import { type ChainNode, common, type NodeKind, TestNode } from './node.ts'

const key = (digit: string): `0x${string}` => `0x${digit.repeat(64)}`
/** One token, in the units of its contract. */
export const ONE = 10n ** 18n

export const ISSUER_KEY = key('1')
export const PARTICIPANT_KEY = key('2')
export const STRANGER_KEY = key('3')
export const SHARED_KEY = key('4')
export const walletOf = (privateKey: `0x${string}`): string =>
  createAddressFromPrivateKey(hexToBytes(privateKey)).toString()
export const REDEMPTION_WALLET = walletOf(ISSUER_KEY)
export const PARTICIPANT = walletOf(PARTICIPANT_KEY)
export const STRANGER = walletOf(STRANGER_KEY)

export const SHARED = walletOf(SHARED_KEY)

const funded = [REDEMPTION_WALLET, PARTICIPANT, STRANGER, SHARED]

export const startNode = (kind: NodeKind = {}): Promise<TestNode> => TestNode.start(funded, kind)

/** Deploys a contract and returns its address. */
export async function deploy(node: ChainNode, key: `0x${string}`, bytecode: string): Promise<string> {
  const receipt = await node.request('eth_getTransactionReceipt', [
    await sendTransaction(node, key, undefined, bytecode),
  ])
  return (receipt as { contractAddress: string }).contractAddress
}

const anvil = anvilPath()

/** The nodes of the tests: the test node, and anvil if it is on the PATH. */
export const nodes: readonly (readonly [name: string, start: () => Promise<ChainNode>])[] = [
  ['the test node', startNode],
  ...(anvil ? ([['anvil', () => startAnvil(anvil, funded)]] as const) : []),
]

/** Starts a broker with this node. A broker in memory starts with half of the CPU time. */
export function startBrokerOn(
  url: string,
  folder = 'memory',
  env: Readonly<Record<string, string>> = {},
): Promise<Broker> {
  const keyFile = join(newFolder(), 'key')
  writeFileSync(keyFile, `${ISSUER_KEY}\n`)
  return startBroker(['--data', folder], { QUIPU_CHAIN_URL: url, QUIPU_CHAIN_KEY_FILE: keyFile, ...env })
}

/** Buys shares with a market order and waits for the fill. */
export async function buyShares(broker: Broker, symbol: string, qty: string): Promise<void> {
  const order = { symbol, qty, side: 'buy', type: 'market', time_in_force: 'day' }
  const { status, body } = await call(broker, 'POST', '/v2/orders', order)
  assert.equal(status, 200, JSON.stringify(body))
  await waitUntil(`the position has ${qty} ${symbol}`, async () => (await shares(broker, symbol)) === qty)
}

export const shares = async (broker: Participant, symbol = 'AAPL'): Promise<string> =>
  (await call(broker, 'GET', `/v2/positions/${symbol}`)).body.qty ?? '0'

export async function mint(broker: Participant, qty: string, wallet = PARTICIPANT): Promise<string> {
  const { status, body } = await call(broker, 'POST', '/v2/tokenization/mint', {
    underlying_symbol: 'AAPL',
    qty,
    issuer: 'xstocks',
    network: 'ethereum',
    wallet_address: wallet,
  })
  assert.equal(status, 200, JSON.stringify(body))
  return body.tokenization_request_id
}

export type Participant = Pick<Broker, 'url' | 'accountId' | 'keyId' | 'secretKey'>

/** Opens another account of the same partner, with shares, and links it to the issuer. */
export async function openAccount(broker: Broker, qty: string): Promise<Participant> {
  const positions = [{ symbol: 'AAPL', qty }]
  const { status, body } = await callAsOperator(broker, 'POST', '/v1/accounts', { positions })
  assert.equal(status, 200, JSON.stringify(body))
  const link = { account_id: body.id, issuer: 'xstocks' }
  const linked = await callAsOperator(broker, 'POST', '/sim/v1/worlds/main/tokenization/links', link)
  assert.equal(linked.status, 201, JSON.stringify(linked.body))
  const key = await callAsOperator(broker, 'POST', `/v1/accounts/${body.id}/keys`, {})
  const { key_id: keyId, secret_key: secretKey } = key.body
  return { url: broker.url, accountId: body.id, keyId, secretKey }
}

/** All requests of the world, with the ids of the issuer. */
export const worldRequests = async (broker: Broker): Promise<Body[]> =>
  (await callAsOperator(broker, 'GET', '/sim/v1/worlds/main/tokenization/requests?status=all')).body

export const waitForCompletion = (broker: Participant, id: string): Promise<Body> =>
  waitUntil(`${id} is completed`, async () => {
    const { body } = await call(broker, 'GET', `/v2/tokenization/requests/${id}`)
    return body.status === 'completed' && body
  })

export const requests = async (broker: Broker, type: string): Promise<Body[]> =>
  (await call(broker, 'GET', `/v2/tokenization/requests?type=${type}`)).body

export const unmatchedTransfers = async (broker: Broker): Promise<Body[]> =>
  (await callAsOperator(broker, 'GET', '/sim/v1/worlds/main/tokenization/unmatched-transfers')).body

export const audit = async (broker: Broker): Promise<Body> =>
  (await callAsOperator(broker, 'GET', '/sim/v1/worlds/main/audit')).body

/** The rounded-off units of a token in the journal. */
export async function dustOf(broker: Broker, symbol: string): Promise<bigint | undefined> {
  const path = '/sim/v1/worlds/main/events?kind=chainFactsRecorded&limit=1000'
  const { body } = await callAsOperator(broker, 'GET', path)
  const facts = body.events.flatMap((event: Body) => event.event.facts)
  const last = facts.findLast(([name]: [string]) => name === `dust/ethereum/${symbol}`)
  return last && BigInt(last[1].units)
}

/** The contract of the only token, from the first log on the chain. */
export async function contractOn(node: ChainNode): Promise<string> {
  const [log] = (await node.request('eth_getLogs', [
    { fromBlock: '0x0', toBlock: 'latest', topics: [] },
  ])) as [{ address: string }]
  assert.ok(log, 'the chain has no logs')
  return log.address
}

const word = (value: string | bigint): string =>
  (typeof value === 'bigint' ? value.toString(16) : value.slice(2)).padStart(64, '0')

export const balanceOn = async (node: ChainNode, contract: string, wallet: string): Promise<bigint> =>
  BigInt((await node.request('eth_call', [{ to: contract, data: `0x70a08231${word(wallet)}` }])) as string)

export const supplyOn = async (node: ChainNode, contract: string): Promise<bigint> =>
  BigInt((await node.request('eth_call', [{ to: contract, data: '0x18160ddd' }])) as string)

/** Transfers tokens with this key. */
export const send = (
  node: ChainNode,
  privateKey: `0x${string}`,
  contract: string,
  { to, units }: { readonly to: string; readonly units: bigint },
): Promise<string> => sendTransaction(node, privateKey, contract, `0xa9059cbb${word(to)}${word(units)}`)

/** Signs and sends a transaction without code of the broker, and returns its hash. */
export async function sendTransaction(
  node: ChainNode,
  privateKey: `0x${string}`,
  to: string | undefined,
  data: string,
): Promise<string> {
  const nonce = BigInt(
    (await node.request('eth_getTransactionCount', [walletOf(privateKey), 'latest'])) as string,
  )
  // A legacy transaction, which every network accepts.
  const fields = { nonce, gasLimit: 9_000_000n, gasPrice: 10n ** 10n }
  const tx = createLegacyTx(
    { ...fields, data: data as `0x${string}`, ...(to ? { to: to as `0x${string}` } : {}) },
    { common },
  ).sign(hexToBytes(privateKey))
  return (await node.request('eth_sendRawTransaction', [bytesToHex(tx.serialize())])) as string
}

/** The path of anvil on this machine, if it is installed. */
export function anvilPath(): string | undefined {
  for (const folder of (process.env.PATH ?? '').split(delimiter)) {
    const path = join(folder, 'anvil')
    try {
      accessSync(path, constants.X_OK)
      return path
    } catch {}
  }
  return undefined
}

/** Starts anvil of Foundry with a balance for each of these addresses. */
export async function startAnvil(path: string, funded: readonly string[]): Promise<ChainNode> {
  const port = await freePort()
  const child = spawn(path, ['--port', String(port), '--silent'], { stdio: 'ignore' })
  const url = `http://127.0.0.1:${port}`
  const request = async (method: string, params: readonly unknown[]): Promise<unknown> => {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    })
    const { result, error } = (await response.json()) as { result?: unknown; error?: { message: string } }
    if (error) throw new Error(error.message)
    return result
  }
  await waitUntil('the node answers', () => request('eth_chainId', []).catch(() => undefined))
  for (const address of funded) await request('anvil_setBalance', [address, `0x${(10n ** 24n).toString(16)}`])
  return {
    url,
    request,
    close: async () => {
      child.kill('SIGKILL')
    },
  }
}
