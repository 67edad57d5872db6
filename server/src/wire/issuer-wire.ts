import type { InputOf, OutputOf } from '@quipu/contract'
import {
  type Behaviour,
  type ChainFact,
  format,
  formatInstant,
  type Instant,
  type Issuer,
  isPending,
  type Job,
  type JobKind,
  type Link,
  type ListedToken,
  type Outcome,
  publicStatus,
  SECOND,
  type TokenizationRequest,
  type TransferFact,
  tickerOf,
  tokensOf,
  type View,
} from '@quipu/core'
import { requestToIssuer } from './request-wire.ts'

type IssuerRecord = OutputOf<'changeIssuer'>
type LinkRecord = OutputOf<'createIssuerLink'>
type WorldRequestRecord = OutputOf<'holdRequest'>
type JobRecord = OutputOf<'listJobs'>[number]
type BehaviourInput = InputOf<'changeIssuer'>['body']
type ListingInput = NonNullable<InputOf<'createIssuer'>['body']['tokens']>[number]

export const issuerToWire = (issuer: Issuer): IssuerRecord => ({
  // The contract accepts no other codes.
  issuer: issuer.code,
  name: issuer.name,
  mode: issuer.mode,
  account_id: issuer.accountId,
  custody_account_ids: [...(issuer.custodyAccountIds ?? [])],
  auth: issuer.auth && (issuer.auth === 'apiKey' ? 'api_key' : 'signature'),
  mint_url: issuer.urls?.mint,
  confirm_url: issuer.urls?.confirm,
  connect_url: issuer.urls?.connect,
  tokens_url: issuer.urls?.tokens,
  custody_url: issuer.urls?.custody,
  redemption_wallets: Object.fromEntries(issuer.redemptionWallets ?? []),
  behaviour: issuer.behaviour && behaviourToWire(issuer.behaviour),
  tokens: issuer.listings.map(listingToWire),
})

const listingToWire = ({ underlying, tokenSymbol, networks, multiplier }: ListedToken) => ({
  underlying: underlying,
  token: tokenSymbol,
  networks: [...networks] as IssuerRecord['tokens'][number]['networks'],
  multiplier: multiplier && `${multiplier.shares}/${multiplier.tokens}`,
})

/** Has no multiplier: the request that creates an issuer cannot set one. */
export const listingFrom = ({ underlying, token, networks }: ListingInput): ListedToken => ({
  underlying: tickerOf(underlying),
  tokenSymbol: token,
  networks,
})

export function behaviourFrom(input: BehaviourInput): Behaviour {
  const lateNs = BigInt(input.late_seconds) * SECOND
  const outcome = (word: BehaviourInput['outcome']): Outcome =>
    word === 'late' ? { lateNs } : word === 'reject_late' ? 'rejectLate' : word
  return {
    delayNs: BigInt(input.delay_seconds) * SECOND,
    outcome: outcome(input.outcome),
    wallets: new Map(
      Object.entries(input.wallets).map(([wallet, word]) => [wallet.toLowerCase(), outcome(word)]),
    ),
  }
}

const HOUR_SECONDS = 3600

function behaviourToWire({ delayNs, outcome, wallets }: Behaviour): NonNullable<IssuerRecord['behaviour']> {
  const late = [outcome, ...wallets.values()].find((one) => typeof one === 'object')
  return {
    delay_seconds: Number(delayNs / SECOND),
    outcome: outcomeToWire(outcome),
    late_seconds: late === undefined ? HOUR_SECONDS : Number(late.lateNs / SECOND),
    wallets: Object.fromEntries([...wallets].map(([wallet, one]) => [wallet, outcomeToWire(one)])),
  }
}

const outcomeToWire = (outcome: Outcome): BehaviourInput['outcome'] =>
  typeof outcome === 'object' ? 'late' : outcome === 'rejectLate' ? 'reject_late' : outcome

export const linkToWire = (link: Link): LinkRecord => ({
  account_id: link.accountId,
  issuer: link.issuer,
  kind: link.kind,
  state: link.state ?? 'linked',
  email: link.email,
  external_id: link.externalId,
  reason: link.reason,
})

/** The names of the internal states. */
export const stateNames = {
  received: 'received',
  validating: 'validating',
  issuerAccepted: 'issuer_accepted',
  transferred: 'transferred',
  confirmed: 'confirmed',
  completed: 'completed',
  rejected: 'rejected',
} as const satisfies Record<TokenizationRequest['status'], WorldRequestRecord['state']>

/** A request with its internal state, for an operator. */
export const worldRequestToWire = (
  view: View,
  request: TokenizationRequest,
  now: Instant,
): WorldRequestRecord => ({
  ...requestToIssuer(view, request),
  account_id: request.accountId,
  status: publicStatus(request),
  state: stateNames[request.status],
  held: request.held ?? false,
  late: isPending(request) && request.deadline !== undefined && request.deadline <= now,
  tokens: format(tokensOf(request)),
  custody_account_id: request.custodyId,
})

/** The names of calls to issuers, chains and other worlds. */
export const jobKindNames = {
  issuerMint: 'mint',
  issuerCustody: 'custody',
  issuerConfirm: 'confirm',
  issuerReject: 'reject',
  chainMint: 'chain_mint',
  issuerConnect: 'connect',
  askWorld: 'journal',
} as const satisfies Record<JobKind, JobRecord['kind']>

export const jobToWire = (job: Job): JobRecord => ({
  job_id: job.id,
  kind: jobKindNames[job.kind],
  account_id: job.accountId,
  tokenization_request_id: job.requestId,
  issuer: job.issuer,
  attempts: job.attempts,
  due_at: formatInstant(job.due),
  parked: job.parked ?? false,
  problem: job.problem ?? null,
})

/** The burn of redeemed tokens, shown as a job because it is retried like one. */
export function burnToWire(view: View, fact: ChainFact): readonly JobRecord[] {
  if (fact.fact !== 'transfer' || !fact.redeem) return []
  const { issuer, accountId, requestId } = fact.redeem
  const { held: parked = false } = view.requests.get(requestId) ?? {}
  return [
    {
      job_id: `${requestId}/chainBurn`,
      kind: 'chain_burn',
      account_id: accountId,
      tokenization_request_id: requestId,
      issuer,
      attempts: fact.burn?.attempts ?? 0,
      due_at: formatInstant(fact.burn?.due ?? fact.at),
      parked,
      problem: fact.burn?.problem ?? null,
    },
  ]
}

export const unmatchedTransferToWire = (fact: TransferFact): OutputOf<'resolveUnmatchedTransfer'> => ({
  network: fact.network as OutputOf<'resolveUnmatchedTransfer'>['network'],
  tx_hash: fact.txHash,
  log_index: fact.logIndex,
  block: String(fact.block),
  contract: fact.address,
  token_symbol: fact.symbol,
  wallet_address: fact.wallet,
  units: String(fact.units),
  problem: fact.problem ?? '',
  observed_at: formatInstant(fact.at),
})
