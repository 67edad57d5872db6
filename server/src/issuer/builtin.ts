import { hash } from 'node:crypto'
import type { Chain } from '../chain/chain.ts'
import { builtinIssuers } from './builtin-issuers.ts'
import type { MintRequest, TokenIssuer } from './issuer.ts'

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
