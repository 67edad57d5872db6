import {
  format,
  type Issuer,
  issuerRequestName,
  multiplierOf,
  type NamedFact,
  participantName,
  type Quantity,
  type RequestId,
  type RequestRedeem,
  sharesBehind,
  type TokenFact,
  type TransferFact,
  tokensFor,
} from '@quipu/core'
import type { ChainWorld, EvmBook } from './evm-book.ts'
import { tokensIn, unitsOf } from './evm-tokens.ts'

/** Tokens that arrived at the redemption wallet. */
export type Arrival = {
  readonly address: string
  readonly wallet: string
  readonly units: bigint
  readonly txHash: string
  readonly logIndex: number
  readonly block: bigint
  /** How the redeem is called at the issuer: no two arrivals have the same. */
  readonly issuerRequestId: string
}

/** What is to be written down of an arrival, after its shares were asked for; nothing if that is there already. */
export async function takeArrival(
  world: ChainWorld,
  book: EvmBook,
  arrival: Arrival,
): Promise<readonly NamedFact[]> {
  const name = book.names.transfer(arrival.txHash, arrival.logIndex)
  if (book.view.chain.has(name)) return []
  const { issuerRequestId: _, ...came } = arrival
  const token = book.tokens().find(({ address }) => address === arrival.address)
  const fact: TransferFact = {
    fact: 'transfer',
    network: book.network,
    ...came,
    ...(token ? { symbol: token.symbol } : {}),
    dust: 0n,
    at: world.now,
  }
  const taken = token ? await redeem(world, book, arrival, token) : { trouble: 'no token of an issuer here' }
  if (!token || 'trouble' in taken) return [[name, { ...fact, ...taken }]]
  const { dust } = taken
  const all: NamedFact = [
    book.names.dust(token.symbol),
    { fact: 'dust', units: book.dust(token.symbol) + dust },
  ]
  return [[name, { ...fact, ...taken }], ...(dust === 0n ? [] : [all])]
}

type Taken = Pick<TransferFact, 'dust' | 'redeem'> | { readonly trouble: string }

async function redeem(world: ChainWorld, book: EvmBook, arrival: Arrival, token: TokenFact): Promise<Taken> {
  const issuer = issuerOf(book, token)
  if (!issuer) return { trouble: 'no issuer here has this token' }
  const owner = book.ownerOf(issuer.code, arrival.wallet)
  if (!owner) return { trouble: 'nobody has minted to this wallet' }
  const { accountId } = owner
  if (!accountId) return { trouble: 'several accounts have minted to this wallet' }
  const { underlying, shares, dust } = worth(issuer, arrival.units, token)
  if (shares === 0n) return { trouble: 'less than the smallest part of a share' }
  const { txHash, wallet, issuerRequestId } = arrival
  const asked = await submit(world, issuer, {
    kind: 'requestRedeem',
    issuer: issuer.code,
    participant: participantName(book.view, { accountId, issuer: issuer.code }),
    network: book.network,
    underlying,
    tokenSymbol: token.symbol,
    quantity: shares,
    quantityText: format(shares),
    wallet,
    txHash,
    issuerRequestId,
  })
  return asked.ok
    ? { dust, redeem: { issuer: issuer.code, accountId, requestId: asked.requestId } }
    : { trouble: `the redeem was refused: ${asked.code}` }
}

/** Only the issuers inside mint on this chain. */
const issuerOf = ({ view }: EvmBook, { symbol }: TokenFact): Issuer | undefined =>
  [...view.issuers.values()].find(
    ({ mode, listings }) => mode === 'builtin' && listings.some(({ tokenSymbol }) => tokenSymbol === symbol),
  )

/** The shares that stand behind so much of a token, in whole parts of a share that tokens can stand for, and the rest. */
function worth(issuer: Issuer, units: bigint, token: TokenFact) {
  const { underlying } = issuer.listings.find(({ tokenSymbol }) => tokenSymbol === token.symbol)!
  const multiplier = multiplierOf(issuer, underlying)
  const behind = sharesBehind(multiplier, tokensIn(units, token).tokens)
  const shares = (behind -
    (behind % (multiplier.shares / common(multiplier.shares, multiplier.tokens)))) as Quantity
  const tokens = tokensFor(multiplier, shares)!
  return { underlying, shares, dust: units - unitsOf(tokens, token) }
}

const common = (a: bigint, b: bigint): bigint => (b === 0n ? a : common(b, a % b))

type Asked =
  | { readonly ok: true; readonly requestId: RequestId }
  | { readonly ok: false; readonly code: string }

/** Asked for before, and cut off before that was written down: it is the same request. */
async function submit(world: ChainWorld, issuer: Issuer, command: RequestRedeem): Promise<Asked> {
  const { issuerRequestId } = command
  return world.withArchived(
    (views) => views.requestByLabel(issuer.accountId, issuerRequestId),
    async (known) => {
      const earlier =
        known?.id ?? world.view.issuerRequestIds.get(issuerRequestName(issuer.code, issuerRequestId))
      if (earlier) return { ok: true, requestId: earlier }
      const { value: decision } = await world.submit(command, (_, decided) => decided)
      if (!decision.ok) return { ok: false, code: decision.reason.code }
      const made = decision.value.find((event) => event.kind === 'redeemRequested')
      if (!made) throw new Error('bug: a redeem was taken and nobody was told')
      return { ok: true, requestId: made.request.id }
    },
  )
}
