import type { CallOf, OutputOf } from './operations.ts'

const accountId = '5e1c2a90-3d4b-4f6e-8a7b-9c0d1e2f3a4b'
const issuerAccountId = '2d1f7f6a-90b1-4a77-8a3e-6f1b2c3d4e5f'
const mintId = '0d7e8c1b-2f3a-4b5c-9d6e-7f8091a2b3c4'
const redeemId = '6b1f0a2c-3d4e-4f50-8192-a3b4c5d6e7f8'
const issuerRequestId = '91f0a1de-4b0c-4f6e-9a55-8f0e1b2d3c4a'
const wallet = '0x52908400098527886e0f7030069857d2e4169ee7'
const txHash = '0x9f2c4e6a8b0d1f3e5c7a9b8d7f6e5d4c3b2a190817263544536271809f8e7d6c'
const at = '2026-11-02T15:10:15.101202303Z'

const asked = {
  underlying_symbol: 'AAPL',
  qty: '1.5',
  network: 'base',
  wallet_address: wallet,
} as const

const minted = {
  tokenization_request_id: mintId,
  created_at: at,
  type: 'mint',
  status: 'pending',
  token_symbol: 'tAAPL',
  issuer: 'st0x',
  ...asked,
  client_request_id: 'treasury-17',
} as const

const request = { ...minted, updated_at: at, tx_hash: null, fees: null } as const
const ofIssuer = { ...request, issuer_request_id: issuerRequestId, client_account_id: accountId } as const

const redeem = {
  issuer_request_id: txHash,
  token_symbol: 'tAAPL',
  ...asked,
  tx_hash: txHash,
  client_account_id: accountId,
} as const

const redeemed = {
  tokenization_request_id: redeemId,
  issuer_request_id: txHash,
  created_at: at,
  type: 'redeem',
  status: 'pending',
  token_symbol: 'tAAPL',
  issuer: 'st0x',
  ...asked,
  tx_hash: txHash,
} as const

const inAccount = { params: { account_id: accountId }, headers: {} } as const
const inIssuer = { params: { account_id: issuerAccountId }, headers: {} } as const
const redeeming = { input: { ...inIssuer, body: redeem }, output: redeemed } as const

/** Of participants under a partner, and of issuers. */
export const tokenizationExamples = {
  postTokenizationMintBroker: {
    input: {
      ...inAccount,
      headers: { 'idempotency-key': '0192f0c1-2345-7abc-8def-0123456789ab' },
      body: { ...asked, issuer: 'st0x', client_request_id: 'treasury-17' },
    },
    output: minted,
  },
  getTokenizationRequestsBroker: {
    input: { ...inAccount, query: { type: 'mint' } },
    output: [request],
  },
  getTokenizationRequestBroker: {
    input: { params: { account_id: issuerAccountId, tokenization_request_id: mintId }, headers: {} },
    output: ofIssuer,
  },
  getTokenizationRequestByClientRequestIDBroker: {
    input: { ...inAccount, query: { client_request_id: 'treasury-17' } },
    output: request,
  },
  getTokenizationRequestByIssuerRequestID: {
    input: { ...inIssuer, query: { issuer_request_id: issuerRequestId } },
    output: ofIssuer,
  },
  postTokenizationCallbackMint: {
    input: {
      ...inIssuer,
      body: { tokenization_request_id: mintId, tx_hash: txHash, client_account_id: accountId },
    },
    output: { ...ofIssuer, status: 'completed', tx_hash: txHash, fees: '0' },
  },
  postTokenizationRedeem: redeeming,
  postTokenizationRedeemAlias: redeeming,
} as const satisfies {
  readonly [Name in
    | 'postTokenizationMintBroker'
    | 'getTokenizationRequestsBroker'
    | 'getTokenizationRequestBroker'
    | 'getTokenizationRequestByClientRequestIDBroker'
    | 'getTokenizationRequestByIssuerRequestID'
    | 'postTokenizationCallbackMint'
    | 'postTokenizationRedeem'
    | 'postTokenizationRedeemAlias']: { readonly input: CallOf<Name>; readonly output: OutputOf<Name> }
}
