import { hash } from 'node:crypto'
import type { Chain } from '../chain/chain.ts'
import { builtinIssuers } from './builtin-issuers.ts'
import type { MintQuestion, TokenIssuer } from './issuer.ts'

/** The issuer inside: says yes to what it lists and to wallets that can exist. */
export function builtinIssuer(chain: Pick<Chain, 'validateAddress'>): TokenIssuer {
  return {
    async mint(question) {
      if (!isListed(question)) return no('Invalid Token: Token not available on the network')
      if (!chain.validateAddress(question.network, question.wallet).ok)
        return no('Failed Validation: Invalid data payload')
      return { ok: true, issuerRequestId: issuerRequestIdOf(question) }
    },
    confirm: async () => ({ ok: true }),
  }
}

const no = (reason: string) => ({ ok: false, reason }) as const

function isListed({ issuer, underlying, tokenSymbol, network }: MintQuestion): boolean {
  const listing = builtinIssuers
    .find(({ code }) => code === issuer)
    ?.listings.find((one) => one.underlying === underlying && one.tokenSymbol === tokenSymbol)
  return listing?.networks.includes(network) ?? false
}

/** Made from the request, so that the same question has the same answer. A uuid: participants read it as one. */
function issuerRequestIdOf({ issuer, requestId }: MintQuestion): string {
  const hex = hash('sha256', `${issuer}/${requestId}`, 'hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}
