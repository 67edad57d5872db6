import {
  format,
  type Issuer,
  issuerRequestName,
  missing,
  multiplierOf,
  type NamedFact,
  participantName,
  type RequestId,
  type RequestRedeem,
  sharesBehind,
  type TokenFact,
  type TransferFact,
  tokensFor,
  toQuantity,
} from '@quipu/core'
import type { ChainWorld, EvmRecords } from './evm-records.ts'
import { tokensIn, unitsOf } from './evm-tokens.ts'

/** Tokens that arrived at the redemption wallet. */
export type Arrival = {
  readonly address: string
  readonly wallet: string
  readonly units: bigint
  readonly txHash: string
  readonly logIndex: number
  readonly block: bigint
  /** The id of the redemption at the issuer, unique per arrival. */
  readonly issuerRequestId: string
}

/** The facts to store for an arrival, after its redemption was requested; empty if they are stored already. */
export async function handleArrival(
  world: ChainWorld,
  records: EvmRecords,
  arrival: Arrival,
): Promise<readonly NamedFact[]> {
  const name = records.names.transfer(arrival.txHash, arrival.logIndex)
  if (records.view.chain.has(name)) return []
  const { issuerRequestId: _, ...transfer } = arrival
  const token = records.tokens().find(({ address }) => address === arrival.address)
  const fact: TransferFact = {
    fact: 'transfer',
    network: records.network,
    ...transfer,
    ...(token ? { symbol: token.symbol } : {}),
    dust: 0n,
    at: world.engine.now,
  }
  const outcome = token
    ? await redeem(world, records, arrival, token)
    : { problem: 'not a token of an issuer of this world' }
  if (!token || 'problem' in outcome) return [[name, { ...fact, ...outcome }]]
  const { dust } = outcome
  const all: NamedFact = [
    records.names.dust(token.symbol),
    { fact: 'dust', units: records.dust(token.symbol) + dust },
  ]
  return [[name, { ...fact, ...outcome }], ...(dust === 0n ? [] : [all])]
}

type Outcome = Pick<TransferFact, 'dust' | 'redeem'> | { readonly problem: string }

async function redeem(
  world: ChainWorld,
  records: EvmRecords,
  arrival: Arrival,
  token: TokenFact,
): Promise<Outcome> {
  const issuer = issuerOf(records, token)
  if (!issuer) return { problem: 'no issuer of this world has this token' }
  const owner = records.ownerOf(issuer.code, arrival.wallet)
  if (!owner) return { problem: 'no account has minted to this wallet' }
  const { accountId } = owner
  if (!accountId) return { problem: 'several accounts have minted to this wallet' }
  const { underlying, shares, dust } = sharesFor(issuer, arrival.units, token)
  if (shares === 0n) return { problem: 'less than the smallest part of a share' }
  const { txHash, wallet, issuerRequestId } = arrival
  const redemption = await submit(world, issuer, {
    kind: 'requestRedeem',
    issuer: issuer.code,
    participant: participantName(records.view, { accountId, issuer: issuer.code }),
    network: records.network,
    underlying,
    tokenSymbol: token.symbol,
    quantity: shares,
    quantityText: format(shares),
    wallet,
    txHash,
    issuerRequestId,
  })
  return redemption.ok
    ? { dust, redeem: { issuer: issuer.code, accountId, requestId: redemption.requestId } }
    : { problem: `the redeem was refused: ${redemption.code}` }
}

/** Only built-in issuers mint on this chain. */
const issuerOf = ({ view }: EvmRecords, { symbol }: TokenFact): Issuer | undefined =>
  [...view.issuers.values()].find(
    ({ mode, listings }) => mode === 'builtin' && listings.some(({ tokenSymbol }) => tokenSymbol === symbol),
  )

/** The shares for an amount of tokens, rounded down to a unit that tokens can represent, and the rest. */
function sharesFor(issuer: Issuer, units: bigint, token: TokenFact) {
  const { underlying } =
    issuer.listings.find(({ tokenSymbol }) => tokenSymbol === token.symbol) ?? missing(token.symbol)
  const multiplier = multiplierOf(issuer, underlying)
  const exact = sharesBehind(multiplier, tokensIn(units, token).tokens)
  const shares = toQuantity(
    exact - (exact % (multiplier.shares / common(multiplier.shares, multiplier.tokens))),
  )
  const tokens = tokensFor(multiplier, shares) ?? missing('the tokens')
  return { underlying, shares, dust: units - unitsOf(tokens, token) }
}

const common = (a: bigint, b: bigint): bigint => (b === 0n ? a : common(b, a % b))

type Requested =
  | { readonly ok: true; readonly requestId: RequestId }
  | { readonly ok: false; readonly code: string }

/** The redemption was requested before, but not recorded: it is the same request. */
async function submit(world: ChainWorld, issuer: Issuer, command: RequestRedeem): Promise<Requested> {
  const { issuerRequestId } = command
  return world.storage.withArchived(
    (queryTables) => queryTables.requestByLabel(issuer.accountId, issuerRequestId),
    async (known) => {
      const earlier =
        known?.id ?? world.view.issuerRequestIds.get(issuerRequestName(issuer.code, issuerRequestId))
      if (earlier) return { ok: true, requestId: earlier }
      const { value: decision } = await world.commands.submit(command, (_, decided) => decided)
      if (!decision.ok) return { ok: false, code: decision.reason.code }
      const requested = decision.value.find((event) => event.kind === 'redeemRequested')
      if (!requested) throw new Error('bug: a redemption was accepted without an event')
      return { ok: true, requestId: requested.request.id }
    },
  )
}
