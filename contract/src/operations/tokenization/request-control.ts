import { operation } from '../../operation.ts'
import {
  array,
  bool,
  integer,
  nullable,
  oneOf,
  optional,
  record,
  text,
  timestamp,
  uuid,
  withDefault,
} from '../../shape/index.ts'
import { worldParam } from '../sim/world-param.ts'
import {
  mintErrors,
  printable,
  quantity,
  requestId,
  TokenizationIssuer,
  TokenizationMintRequest,
  TokenizationNetwork,
  TokenizationRequest,
  wanted,
} from './tokenization.ts'

const address = () => text({ min: 1, max: 128, pattern: printable })

const states = [
  'received',
  'validating',
  'issuer_accepted',
  'transferred',
  'confirmed',
  'completed',
  'rejected',
] as const

export const SteeredRequest = record({
  ...TokenizationRequest.fields,
  account_id: uuid().about("The participant's account."),
  state: oneOf(...states).about('Where it really is; outside, all but the last two are pending.'),
  held: bool().about('Nothing is done with it until it is let go.'),
  late: bool().about("Its tokens, or the issuer's word, should have come by now."),
  tokens: text().about('How many tokens it is about.'),
  custody_account_id: optional(uuid()),
}).named('SteeredRequest')

export const JobRecord = record({
  job_id: text(),
  kind: oneOf('mint', 'custody', 'confirm', 'reject', 'chain_mint', 'chain_burn', 'connect'),
  account_id: uuid(),
  tokenization_request_id: optional(uuid()),
  issuer: optional(TokenizationIssuer),
  attempts: integer({ min: 0 }),
  due_at: timestamp(),
  parked: bool().about('Its request is held.'),
  problem: nullable(text()).about('What went wrong last.'),
}).named('Job')

export const UnmatchedTransfer = record({
  network: TokenizationNetwork,
  tx_hash: text(),
  log_index: integer({ min: 0 }),
  block: text(),
  contract: text().about('The contract of the token.'),
  token_symbol: optional(text()).about('Left out where no issuer here has it.'),
  wallet_address: text().about('Where it came from.'),
  units: text().about("How much, in the contract's smallest units."),
  problem: text().about('Why nothing was done with it.'),
  seen_at: timestamp(),
}).named('UnmatchedTransfer')

const inWorld = record(worldParam)
const ofRequest = record({ ...worldParam, tokenization_request_id: requestId })
const shared = { family: 'sim', who: ['operator'], scope: 'never', state: 'works' } as const
const path = '/sim/v1/worlds/{world}/tokenization'
const gone = ['worldNotFound'] as const
const forced = ['worldNotFound', 'tokenizationRequestNotFound', 'tokenizationRequestEnded'] as const

export const requestControl = {
  listSteeredRequests: operation({
    ...shared,
    method: 'GET',
    path: `${path}/requests`,
    summary: 'Requests of all accounts as they really are, newest first.',
    params: inWorld,
    query: record({
      status: withDefault(oneOf('pending', 'all'), 'pending'),
      limit: withDefault(integer({ min: 1, max: 10_000 }), 100),
    }),
    output: array(SteeredRequest),
    status: 200,
    errors: gone,
  }),
  injectRequest: operation({
    ...shared,
    steers: true,
    method: 'POST',
    path: `${path}/requests`,
    summary: 'Asks for a mint as an account would, without its credential.',
    params: inWorld,
    body: record({ ...TokenizationMintRequest.fields, account_id: uuid() }).named('InjectedMint'),
    output: SteeredRequest,
    status: 201,
    errors: ['invalidParameter', 'worldNotFound', 'accountNotFound', ...mintErrors],
  }),
  completeRequest: operation({
    ...shared,
    steers: true,
    method: 'POST',
    path: `${path}/requests/{tokenization_request_id}/complete`,
    summary: 'Completes a request now, whatever it waits for.',
    params: ofRequest,
    body: record({ tx_hash: optional(text({ min: 1, max: 256, pattern: printable })) }).named('ForcedEnd'),
    output: SteeredRequest,
    status: 200,
    errors: ['invalidParameter', ...forced],
  }),
  rejectRequest: operation({
    ...shared,
    steers: true,
    method: 'POST',
    path: `${path}/requests/{tokenization_request_id}/reject`,
    summary: 'Rejects a request now; shares that had moved come back.',
    params: ofRequest,
    body: record({
      reason: withDefault(text({ min: 1, max: 500 }), 'Insufficient Eligibility: Client not eligible'),
    }).named('ForcedRefusal'),
    output: SteeredRequest,
    status: 200,
    errors: ['invalidParameter', ...forced],
  }),
  holdRequest: operation({
    ...shared,
    steers: true,
    method: 'POST',
    path: `${path}/requests/{tokenization_request_id}/hold`,
    summary: 'Lets a request wait where it is.',
    params: ofRequest,
    output: SteeredRequest,
    status: 200,
    errors: forced,
  }),
  releaseRequest: operation({
    ...shared,
    steers: true,
    method: 'POST',
    path: `${path}/requests/{tokenization_request_id}/release`,
    summary: 'Lets a request that was held go on.',
    params: ofRequest,
    output: SteeredRequest,
    status: 200,
    errors: forced,
  }),
  playRedemption: operation({
    ...shared,
    steers: true,
    method: 'POST',
    path: `${path}/redemptions`,
    summary: 'Plays a transfer of tokens to a built-in issuer, where there is no chain to make it on.',
    params: inWorld,
    body: record({
      account_id: uuid(),
      issuer: TokenizationIssuer,
      underlying_symbol: text({ min: 1, max: 64 }).message(wanted),
      qty: quantity().about('Shares; at most nine decimal places.'),
      network: TokenizationNetwork,
      wallet_address: optional(address()).about(
        'Where the tokens come from. Default: the wallet that the newest tokens of this kind were minted to.',
      ),
      tx_hash: optional(address()),
    }).named('PlayedRedemption'),
    output: SteeredRequest,
    status: 201,
    errors: [
      'invalidParameter',
      'worldNotFound',
      'issuerNotFound',
      'issuerNotBuiltin',
      'tokenizationQuantityPrecision',
      'issuerRequestIdReused',
      'tokenizationNotSupported',
      'tokenizationBlocked',
      'tokenNotSupported',
      'tokenQuantityUneven',
      'tokenSupplyExceeded',
      'accountIsShort',
      'custodyInsufficient',
    ],
  }),
  listUnmatchedTransfers: operation({
    ...shared,
    method: 'GET',
    path: `${path}/unmatched-transfers`,
    summary: 'List token transfers to a redemption wallet that match no account and need manual review.',
    params: inWorld,
    output: array(UnmatchedTransfer),
    status: 200,
    errors: gone,
  }),
  resolveUnmatchedTransfer: operation({
    ...shared,
    method: 'POST',
    path: `${path}/unmatched-transfers/{network}/{tx_hash}/{log_index}/resolve`,
    summary: 'Close the review of an unmatched transfer. Neither tokens nor shares move.',
    params: record({
      ...worldParam,
      network: TokenizationNetwork,
      tx_hash: address(),
      log_index: integer({ min: 0 }),
    }),
    body: record({
      note: text({ min: 1, max: 500 }).about('Result of the review, kept in the journal.'),
    }).named('UnmatchedTransferResolution'),
    output: UnmatchedTransfer,
    status: 200,
    errors: ['invalidParameter', 'worldNotFound', 'unmatchedTransferNotFound'],
  }),
  listJobs: operation({
    ...shared,
    method: 'GET',
    path: '/sim/v1/worlds/{world}/jobs',
    summary: 'Calls to issuers and chains that are still to be made or answered, with their attempts.',
    params: inWorld,
    output: array(JobRecord),
    status: 200,
    errors: gone,
  }),
}
