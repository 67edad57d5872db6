import type { InputOf, OutputOf } from '@quipu/contract'
import {
  type AccountId,
  type Issuer,
  isLinked,
  type ListedToken,
  multiplierOf,
  type TokenFact,
  tokenName,
  type View,
} from '@quipu/core'
import type { Context } from '../context.ts'
import { checkIssuer, type RequestAccount } from './request-reading.ts'

type Token = OutputOf<'getTokenizationTokens'>[number]
type Filters = InputOf<'getTokenizationTokens'>['query']

/** The tokens of the issuers that an account is linked to, or of the issuer that an account belongs to. */
export function readTokens(
  context: Context,
  access: RequestAccount & { readonly issuer?: Issuer | undefined },
  query: Filters,
): Promise<Token[]> {
  checkIssuer(access.world, query.issuer)
  return context.state.read(access.world, (view) => tokensIn(view, access, query))
}

function tokensIn(
  view: View,
  { accountId, issuer }: { readonly accountId: AccountId; readonly issuer?: Issuer | undefined },
  query: Filters,
): Token[] {
  const linked = [...view.issuers.values()].filter(({ code }) => isLinked(view, accountId, code))
  return (issuer ? [issuer] : linked)
    .flatMap((one) => one.listings.flatMap((listing) => tokensOf(view, one, listing)))
    .filter(
      (token) =>
        (query.issuer ?? token.issuer) === token.issuer &&
        (query.network ?? token.network) === token.network &&
        (query.underlying_symbol ?? token.underlying_symbol) === token.underlying_symbol,
    )
}

function tokensOf(view: View, issuer: Issuer, { underlying, tokenSymbol, networks }: ListedToken): Token[] {
  const { shares, tokens } = multiplierOf(issuer, underlying)
  return networks.map((network) => {
    const contract = issuer.mode === 'builtin' ? contractOf(view, network, tokenSymbol) : undefined
    return {
      issuer: issuer.code,
      underlying_symbol: underlying,
      token_symbol: tokenSymbol,
      // The contract accepts only known networks.
      network: network as Token['network'],
      shares_per_token: `${shares}/${tokens}`,
      redemption_wallet: issuer.redemptionWallets?.get(network) ?? null,
      contract_address: contract?.address ?? null,
      decimals: contract?.decimals ?? null,
    }
  })
}

/** Only for built-in issuers: Quipu does not know the contracts of external issuers. */
function contractOf({ chain }: View, network: string, symbol: string): TokenFact | undefined {
  const fact = chain.get(tokenName(network, symbol))
  return fact?.fact === 'token' ? fact : undefined
}
