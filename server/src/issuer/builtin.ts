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
    async mint(question) {
      if (!isListed(question)) return no('Invalid Token: Token not available on the network')
      if (!chain.validateAddress(question.network, question.wallet).ok)
        return no('Failed Validation: Invalid data payload')
      if (isBurned(question)) return no('Invalid Wallet: Wallet does not belong to client')
      if (question.outcome === 'reject') return no('Insufficient Eligibility: Client not eligible')
      return { ok: true, issuerRequestId: issuerRequestIdOf(question) }
    },
    confirm: async ({ outcome }) =>
      outcome === 'rejectLate' ? no('Insufficient Eligibility: Client not eligible') : { ok: true },
    reject: async () => undefined,
    connect: async () => no('the built-in issuer knows everybody by the account'),
    custody: async () => no('the built-in issuer has one account'),
  }
}

const no = (reason: string) => ({ ok: false, reason }) as const

function isListed({ issuer, underlying, tokenSymbol, network }: MintRequest): boolean {
  const listing = builtinIssuers
    .find(({ code }) => code === issuer)
    ?.listings.find((one) => one.underlying === underlying && one.tokenSymbol === tokenSymbol)
  return listing?.networks.includes(network) ?? false
}

const isBurned = ({ wallet }: MintRequest): boolean =>
  burnAddresses.some((address) => address.toLowerCase() === wallet.toLowerCase())

/** Derived from the request, so a repeated request gets the same id. A UUID, because participants expect one. */
function issuerRequestIdOf({ issuer, requestId }: MintRequest): string {
  const hex = hash('sha256', `${issuer}/${requestId}`, 'hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}
