import { hash } from 'node:crypto'
import {
  type AccountId,
  type BrokerEvent,
  type Command,
  type Decision,
  type IssuerCode,
  type ListedToken,
  NO_MONEY,
  type PartnerId,
  type Ticker,
  TOKENIZED,
  type View,
} from '@quipu/core'
import type { Chain } from '../chain/chain.ts'
import { networks } from '../chain/networks.ts'
import type { MintRequest, TokenIssuer } from './issuer.ts'

type BuiltinIssuer = {
  readonly code: IssuerCode
  readonly name: string
  readonly listings: readonly ListedToken[]
}

/** Well-known shares on every network, with the token symbols of these issuers. */
const listed = (tokenSymbol: (underlying: Ticker) => string): readonly ListedToken[] =>
  TOKENIZED.map((underlying) => ({ underlying, tokenSymbol: tokenSymbol(underlying), networks }))

export const builtinIssuers: readonly BuiltinIssuer[] = [
  { code: 'xstocks' as IssuerCode, name: 'xStocks', listings: listed((symbol) => `${symbol}x`) },
  { code: 'st0x' as IssuerCode, name: 'st0x', listings: listed((symbol) => `t${symbol}`) },
]

/** Burn addresses that nobody owns. Tests of a rejection can use them. */
export const burnAddresses = [
  '0x000000000000000000000000000000000000dead',
  '1nc1nerator11111111111111111111111111111111',
] as const

/** The built-in issuer: accepts listed tokens, and wallets that are valid and can have an owner. */
export function builtinIssuer(chain: Pick<Chain, 'validateAddress'>): TokenIssuer {
  return {
    async mint(request) {
      if (!isListed(request)) return refuse('Invalid Token: Token not available on the network')
      if (!chain.validateAddress(request.network, request.wallet).ok)
        return refuse('Failed Validation: Invalid data payload')
      if (isBurnAddress(request)) return refuse('Invalid Wallet: Wallet does not belong to client')
      if (request.outcome === 'reject') return refuse('Insufficient Eligibility: Client not eligible')
      return { ok: true, issuerRequestId: issuerRequestIdOf(request) }
    },
    confirm: async ({ outcome }) =>
      outcome === 'rejectLate' ? refuse('Insufficient Eligibility: Client not eligible') : { ok: true },
    reject: async () => undefined,
    connect: async () => refuse('the built-in issuer identifies participants by account id'),
    custody: async () => refuse('the built-in issuer has one account'),
  }
}

const refuse = (reason: string) => ({ ok: false, reason }) as const

function isListed({ issuer, underlying, tokenSymbol, network }: MintRequest): boolean {
  const listing = builtinIssuers
    .find(({ code }) => code === issuer)
    ?.listings.find((one) => one.underlying === underlying && one.tokenSymbol === tokenSymbol)
  return listing?.networks.includes(network) ?? false
}

const isBurnAddress = ({ wallet }: MintRequest): boolean =>
  burnAddresses.some((address) => address.toLowerCase() === wallet.toLowerCase())

/** Derived from the request, so a repeated request gets the same id. A UUID, because participants expect one. */
function issuerRequestIdOf({ issuer, requestId }: MintRequest): string {
  const hex = hash('sha256', `${issuer}/${requestId}`, 'hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}

/** The parts of a world that are needed to set up issuers. */
type IssuerSetupWorld = {
  readonly view: View
  readonly commands: {
    submit(
      command: Command,
      look: (view: View, decision: Decision) => Decision,
    ): Promise<{ readonly value: Decision }>
  }
}

const NO_CASH = NO_MONEY

/** Adds the built-in issuers to a world and links accounts to them. Existing ones are unchanged. */
export async function setUpIssuers(
  world: IssuerSetupWorld,
  { partnerId, link }: { readonly partnerId: PartnerId; readonly link: readonly AccountId[] },
): Promise<void> {
  for (const issuer of builtinIssuers) {
    if (!world.view.issuers.has(issuer.code)) await register(world, issuer, partnerId)
    for (const accountId of link)
      await submitCommand(world, {
        kind: 'linkAccount',
        link: { accountId, issuer: issuer.code, kind: 'affiliated' },
      })
  }
}

/** Each issuer holds the shares behind its tokens in a separate account. */
async function register(world: IssuerSetupWorld, issuer: BuiltinIssuer, partnerId: PartnerId): Promise<void> {
  const events = await submitCommand(world, {
    kind: 'openAccount',
    flavour: 'paper',
    partnerId,
    cash: NO_CASH,
  })
  const opened = events.find((event) => event.kind === 'accountOpened')
  if (!opened) throw new Error('bug: an account was opened without an event')
  await submitCommand(world, { kind: 'registerIssuer', ...issuer, accountId: opened.accountId })
}

async function submitCommand(world: IssuerSetupWorld, command: Command): Promise<readonly BrokerEvent[]> {
  const { value: decision } = await world.commands.submit(command, (_, decided) => decided)
  if (!decision.ok) throw new Error(`bug: ${command.kind} was refused: ${decision.reason.code}`)
  return decision.value
}
