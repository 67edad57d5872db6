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
import { keyErrors, keyHeader } from '../broker/idempotency.ts'
import { JournalEventShape, LedgerLegShape } from '../reading/journal.ts'
import { requestId as apiRequestId } from '../reading/reading-parameters.ts'
import { ofWorld, operatorOnly, worldParam } from '../sim/world-param.ts'
import {
  mintErrors,
  printable,
  quantity,
  requiredOrInvalid,
  TokenizationIssuer,
  TokenizationMintRequest,
  TokenizationNetwork,
  TokenizationRequestShape,
  tokenRequestId,
} from './tokenization.ts'
import { redeemRefusals } from './tokenization-broker.ts'

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

export const WorldTokenizationRequest = record({
  ...TokenizationRequestShape.fields,
  account_id: uuid().about('Account of the participant.'),
  state: oneOf(...states).about(
    'Internal state. Account holders see every state but the last two as pending.',
  ),
  held: bool().about('True: the request waits until an operator releases it.'),
  late: bool().about('True: the tokens or the callback of the issuer are overdue.'),
  tokens: text().about('Number of tokens.'),
  custody_account_id: optional(uuid()),
}).named('WorldTokenizationRequest')

export const WorldTokenizationDetails = record({
  request: WorldTokenizationRequest,
  steps: array(
    record({
      state: oneOf(...states),
      at: timestamp().about('When the request reached the state, by the clock of the world.'),
      number: integer().about('Event of the step.'),
      request_id: optional(apiRequestId()).about('API request that caused the step.'),
    }),
  ).about('The states of the request, in order.'),
  events: array(JournalEventShape).about('Events of the request and of its jobs.'),
  postings: array(LedgerLegShape),
}).named('WorldTokenizationDetails')

export const JobRecord = record({
  job_id: text(),
  kind: oneOf('mint', 'custody', 'confirm', 'reject', 'chain_mint', 'chain_burn', 'connect', 'journal'),
  account_id: uuid(),
  tokenization_request_id: optional(uuid()),
  issuer: optional(TokenizationIssuer),
  attempts: integer({ min: 0 }),
  due_at: timestamp(),
  parked: bool().about('True: the request is held.'),
  problem: nullable(text()).about('Last error.'),
}).named('Job')

export const UnmatchedTransfer = record({
  network: TokenizationNetwork,
  tx_hash: text(),
  log_index: integer({ min: 0 }),
  block: text(),
  contract: text().about('Contract of the token.'),
  token_symbol: optional(text()).about('Absent if no issuer has this token.'),
  wallet_address: text().about('Sender.'),
  units: text().about('Amount in the smallest units of the contract.'),
  problem: text().about('Why the transfer matches no account.'),
  observed_at: timestamp(),
}).named('UnmatchedTransfer')

/** A transfer of tokens to a built-in issuer, without the account. */
export const redemptionFields = {
  issuer: TokenizationIssuer,
  underlying_symbol: text({ min: 1, max: 64 }).message(requiredOrInvalid),
  qty: quantity().about('Number of shares, at most 9 decimals.'),
  network: TokenizationNetwork,
  wallet_address: optional(address()).about(
    'Sender of the tokens. Default: the wallet that received the newest tokens of this kind.',
  ),
  tx_hash: optional(address()),
}

const ofRequest = record({ ...worldParam, tokenization_request_id: tokenRequestId })
const path = '/sim/v1/worlds/{world}/tokenization'
const worldErrors = ['worldNotFound'] as const
const outcomeErrors = ['worldNotFound', 'tokenizationRequestNotFound', 'tokenizationRequestEnded'] as const

export const requestControl = {
  listWorldTokenizationRequests: operation(`GET ${path}/requests`, ofWorld, {
    summary: 'List requests of all accounts with their internal state, newest first.',
    query: record({
      status: withDefault(oneOf('pending', 'all'), 'pending'),
      limit: withDefault(integer({ min: 1, max: 10_000 }), 100),
    }),
    output: array(WorldTokenizationRequest),
  }),
  getWorldTokenizationRequest: operation(`GET ${path}/requests/{tokenization_request_id}`, operatorOnly, {
    summary: 'Get a request with the time of each state, its events and its postings.',
    params: ofRequest,
    output: WorldTokenizationDetails,
    errors: ['worldNotFound', 'tokenizationRequestNotFound'],
  }),
  createWorldMint: operation(`POST ${path}/requests`, ofWorld, {
    needsSim: true,
    summary: 'Request a mint for an account, without the credential of the account.',
    headers: keyHeader,
    body: record({ ...TokenizationMintRequest.fields, account_id: uuid() }).named('NewWorldMint'),
    output: WorldTokenizationRequest,
    status: 201,
    errors: ['invalidParameter', 'worldNotFound', 'accountNotFound', ...mintErrors],
  }),
  completeRequest: operation(`POST ${path}/requests/{tokenization_request_id}/complete`, operatorOnly, {
    needsSim: true,
    summary: 'Complete a request now, whatever its state.',
    headers: keyHeader,
    params: ofRequest,
    body: record({ tx_hash: optional(text({ min: 1, max: 256, pattern: printable })) }).named(
      'ForcedCompletion',
    ),
    output: WorldTokenizationRequest,
    errors: ['invalidParameter', ...keyErrors, ...outcomeErrors],
  }),
  rejectRequest: operation(`POST ${path}/requests/{tokenization_request_id}/reject`, operatorOnly, {
    needsSim: true,
    summary: 'Reject a request now. Shares that have moved are returned.',
    headers: keyHeader,
    params: ofRequest,
    body: record({
      reason: withDefault(text({ min: 1, max: 500 }), 'Insufficient Eligibility: Client not eligible'),
    }).named('ForcedRejection'),
    output: WorldTokenizationRequest,
    errors: ['invalidParameter', ...keyErrors, ...outcomeErrors],
  }),
  holdRequest: operation(`POST ${path}/requests/{tokenization_request_id}/hold`, operatorOnly, {
    needsSim: true,
    summary: 'Hold a request in its current state.',
    params: ofRequest,
    output: WorldTokenizationRequest,
    errors: outcomeErrors,
  }),
  releaseRequest: operation(`POST ${path}/requests/{tokenization_request_id}/release`, operatorOnly, {
    needsSim: true,
    summary: 'Release a held request.',
    headers: keyHeader,
    params: ofRequest,
    output: WorldTokenizationRequest,
    errors: [...keyErrors, ...outcomeErrors],
  }),
  simulateRedemption: operation(`POST ${path}/redemptions`, ofWorld, {
    needsSim: true,
    summary: 'Simulate a transfer of tokens to a built-in issuer without a chain.',
    headers: keyHeader,
    body: record({ account_id: uuid(), ...redemptionFields }).named('SimulatedRedemption'),
    output: WorldTokenizationRequest,
    status: 201,
    errors: [
      'invalidParameter',
      'worldNotFound',
      'issuerNotFound',
      'issuerNotBuiltin',
      'tokenizationQuantityPrecision',
      ...keyErrors,
      'idempotencyKeyOfRejected',
      ...redeemRefusals,
    ],
  }),
  listUnmatchedTransfers: operation(`GET ${path}/unmatched-transfers`, ofWorld, {
    summary: 'List token transfers to a redemption wallet that match no account and need manual review.',
    output: array(UnmatchedTransfer),
  }),
  resolveUnmatchedTransfer: operation(
    `POST ${path}/unmatched-transfers/{network}/{tx_hash}/{log_index}/resolve`,
    operatorOnly,
    {
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
      errors: ['invalidParameter', 'worldNotFound', 'unmatchedTransferNotFound'],
    },
  ),
  listJobs: operation('GET /sim/v1/worlds/{world}/jobs', ofWorld, {
    summary: 'List pending calls to issuers and chains with their attempts.',
    output: array(JobRecord),
    errors: worldErrors,
  }),
}
