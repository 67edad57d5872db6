import { readFileSync } from 'node:fs'
import type { Chain } from '@quipu/broker/chain/chain.ts'
import { simulatedChain } from '@quipu/broker/chain/simulated.ts'
import { builtinIssuer } from '@quipu/broker/issuer/builtin.ts'
import type { Log } from '@quipu/broker/log/log.ts'
import { MAIN } from '@quipu/broker/registry/worlds.ts'
import { builtinChain, makeRunJob, type RunJob, runJob } from '@quipu/broker/world/jobs.ts'
import type { World } from '@quipu/broker/world/world.ts'
import type { Issuer, RegisterIssuer } from '@quipu/core'
import { errorMessage } from '@quipu/core/values'
import { type Config, ConfigError } from '../config/config.ts'

/** The networks that handlers and jobs use. */
export type MainChain = {
  readonly chain: Pick<Chain, 'validateAddress' | 'txHash'>
  readonly runJob: RunJob
  /** Starts to follow the network for `main`. */
  follow(main: World): Promise<void>
  /** Differences between the network and the ledger. */
  faults(world: World): Promise<readonly string[]>
  close(): Promise<void>
}

const simulated: Omit<MainChain, 'chain'> = {
  runJob,
  follow: async () => undefined,
  faults: async () => [],
  close: async () => undefined,
}

/** The real network of `main`, if one is configured. All other networks and all other worlds are simulated. */
export async function mainChain(config: Config, log: Log): Promise<MainChain> {
  const { chainUrl: url, chainKey: key, chainNetwork: network, chainConfirmations: confirmations } = config
  // Addresses are checked when a mint is requested; stored requests are not checked again.
  const simulatedNetworks = simulatedChain({ addresses: config.wallets })
  if (url === undefined || key === undefined) return { ...simulated, chain: simulatedNetworks }
  const evm = await import('@quipu/broker/chain/evm.ts')
  const parts = evm.evmParts({ url, key, confirmations, contracts: contractsIn(config.chainTokens) })
  const { address } = parts.sender
  const chain = {
    txHash: builtinChain.txHash,
    validateAddress: (on: string, wallet: string, taken?: string) =>
      on === network
        ? evm.checkEvmAddress(on, wallet, address)
        : simulatedNetworks.validateAddress(on, wallet, taken),
  }
  const real = (world: World): Chain => ({
    ...chain,
    mint: (mint) =>
      mint.network === network
        ? evm.mintOn(parts, new evm.EvmRecords(world, network), mint)
        : builtinChain.mint(mint),
  })
  let watch: InstanceType<typeof evm.EvmWatch> | undefined
  return {
    chain,
    runJob: (world, jobId) => (world.id === MAIN ? runJobOn(real(world)) : runJob)(world, jobId),
    async follow(main) {
      await setRedemptionWallet(main, network, address)
      watch = new evm.EvmWatch(parts, main, network, (kind, message, facts) => log.hint(kind, message, facts))
      watch.start()
      log.info('following an EVM network', { network, redemptionWallet: address })
    },
    faults: async (world) =>
      world.id === MAIN ? evm.supplyFaults(parts, new evm.EvmRecords(world, network)) : [],
    close: async () => watch?.stop(),
  }
}

const runJobOn = (chain: Chain): RunJob => makeRunJob({ chain, issuer: builtinIssuer(chain) })

/** Sets the redemption wallet of the built-in issuers, where clients read it. */
async function setRedemptionWallet(main: World, network: string, address: string): Promise<void> {
  for (const issuer of [...main.view.issuers.values()]) {
    if (issuer.mode !== 'builtin' || issuer.redemptionWallets?.get(network) === address) continue
    const { value } = await main.commands.submit(
      withRedemptionWallet(issuer, network, address),
      (_, decided) => decided,
    )
    if (!value.ok) throw new Error(`bug: ${issuer.code} was refused as ${value.reason.code}`)
  }
}

const withRedemptionWallet = (issuer: Issuer, network: string, address: string): RegisterIssuer => ({
  kind: 'registerIssuer',
  code: issuer.code,
  name: issuer.name,
  accountId: issuer.accountId,
  listings: issuer.listings,
  redemptionWallets: new Map([...(issuer.redemptionWallets ?? []), [network, address]]),
})

/** Reads a JSON file of contract addresses by token symbol. */
function contractsIn(path: string | undefined): ReadonlyMap<string, string> {
  if (path === undefined) return new Map()
  const contracts = new Map<string, string>()
  for (const [symbol, address] of Object.entries(recordIn(path))) {
    if (typeof address !== 'string' || !/^0x[0-9a-fA-F]{40}$/.test(address))
      throw new ConfigError(`QUIPU_CHAIN_TOKENS: ${path}: expected an address for ${symbol}`)
    contracts.set(symbol, address.toLowerCase())
  }
  return contracts
}

function recordIn(path: string): object {
  try {
    const read: unknown = JSON.parse(readFileSync(path, 'utf8'))
    if (typeof read === 'object' && read !== null && !Array.isArray(read)) return read
  } catch (error) {
    throw new ConfigError(`QUIPU_CHAIN_TOKENS: cannot read ${path}: ${errorMessage(error)}`)
  }
  throw new ConfigError(`QUIPU_CHAIN_TOKENS: ${path}: expected a record such as {"AAPLx": "0x…"}`)
}
