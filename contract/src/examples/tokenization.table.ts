import type { ExamplesOf } from './example.ts'
import { accountId, at, inFriday } from './values.table.ts'

const accountMintId = '9a8b7c6d-5e4f-4a3b-8c2d-1e0f9a8b7c6d'

const accountMinted = {
  tokenization_request_id: accountMintId,
  created_at: at,
  type: 'mint',
  status: 'pending',
  underlying_symbol: 'AAPL',
  token_symbol: 'AAPLx',
  qty: '1.5',
  issuer: 'xstocks',
  network: 'solana',
  wallet_address: '7EcDhSYGxXyscszYEp35KHN8vvw3svAuLKTzXwCFLtV',
  client_request_id: 'treasury-17',
} as const

const tokenizationRequest = { ...accountMinted, updated_at: null, tx_hash: null, fees: null }

const wallet = '0x52908400098527886e0f7030069857d2e4169ee7'

const asked = {
  underlying_symbol: 'AAPL',
  qty: '1.5',
  network: 'base',
  wallet_address: wallet,
} as const

const mintId = '0d7e8c1b-2f3a-4b5c-9d6e-7f8091a2b3c4'

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

const inAccount = { params: { account_id: accountId }, headers: {} } as const

const token = {
  issuer: 'xstocks',
  underlying_symbol: 'AAPL',
  token_symbol: 'AAPLx',
  network: 'ethereum',
  shares_per_token: '1/1',
  redemption_wallet: wallet,
  contract_address: '0x5fbdb2315678afecb367f032d93f642f64180aa3',
  decimals: 18,
} as const

const request = { ...minted, updated_at: at, tx_hash: null, fees: null } as const

const issuerAccountId = '2d1f7f6a-90b1-4a77-8a3e-6f1b2c3d4e5f'

const issuerRequestId = '91f0a1de-4b0c-4f6e-9a55-8f0e1b2d3c4a'

const ofIssuer = { ...request, issuer_request_id: issuerRequestId, client_account_id: accountId } as const

const inIssuer = { params: { account_id: issuerAccountId }, headers: {} } as const

const txHash = '0x9f2c4e6a8b0d1f3e5c7a9b8d7f6e5d4c3b2a190817263544536271809f8e7d6c'

const redeem = {
  issuer_request_id: txHash,
  token_symbol: 'tAAPL',
  ...asked,
  tx_hash: txHash,
  client_account_id: accountId,
} as const

const redeemId = '6b1f0a2c-3d4e-4f50-8192-a3b4c5d6e7f8'

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

const redeeming = { input: { ...inIssuer, body: redeem }, output: redeemed } as const

const worldRequest = {
  ...ofIssuer,
  account_id: accountId,
  state: 'transferred',
  held: false,
  late: false,
  tokens: '1.5',
  custody_account_id: issuerAccountId,
} as const

const ofRequest = { params: { world: 'friday', tokenization_request_id: mintId } } as const

/** Examples of operator calls. */
const transfer = {
  network: 'ethereum',
  tx_hash: `0x${'5d'.repeat(32)}`,
  log_index: 0,
  block: '19000000',
  contract: '0x9fe46736679d2d9a65f0992f2272de9f3c7fa6e0',
  token_symbol: 'AAPLx',
  wallet_address: '0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc',
  units: '1500000000000000000',
  problem: 'no account has minted to this wallet',
  observed_at: at,
} as const

const behaviour = {
  delay_seconds: 5,
  outcome: 'complete',
  late_seconds: 3600,
  wallets: { [wallet]: 'hold' },
} as const

const builtin = {
  issuer: 'xstocks',
  name: 'xStocks',
  mode: 'builtin',
  account_id: issuerAccountId,
  custody_account_ids: [],
  redemption_wallets: {},
  behaviour,
  tokens: [{ underlying: 'AAPL', token: 'AAPLx', networks: ['solana'], multiplier: '2/1' }],
} as const

const urls = {
  mint_url: 'http://localhost:8000/inkind/issuance',
  confirm_url: 'http://localhost:8000/inkind/issuance/confirm',
  connect_url: 'http://localhost:8000/accounts/connect',
  tokens_url: 'http://localhost:8000/tokenized-assets',
} as const

const tokens = [{ underlying: 'AAPL', token: 'tAAPL', networks: ['base', 'ethereum'] }] as const

const external = {
  issuer: 'st0x',
  name: 'st0x',
  mode: 'external',
  account_id: issuerAccountId,
  custody_account_ids: [],
  auth: 'api_key',
  ...urls,
  redemption_wallets: { base: wallet },
  tokens,
} as const

const link = {
  account_id: accountId,
  issuer: 'st0x',
  kind: 'handshake',
  state: 'asked',
  email: 'ap@example.org',
} as const

export const tokenizationExamples: ExamplesOf<'tokenization'> = {
  postTokenizationMint: {
    input: {
      headers: { 'idempotency-key': '0192f0c1-2345-7abc-8def-0123456789ab' },
      body: {
        underlying_symbol: 'AAPL',
        qty: '1.5',
        issuer: 'xstocks',
        network: 'solana',
        wallet_address: accountMinted.wallet_address,
        client_request_id: 'treasury-17',
      },
    },
    output: accountMinted,
  },
  getTokenizationTokens: { input: { query: { issuer: 'xstocks', network: 'ethereum' } }, output: [token] },
  getTokenizationRequests: {
    input: { query: { type: 'mint', underlying_symbol: 'AAPL' } },
    output: [tokenizationRequest],
  },
  getTokenizationRequest: {
    input: { params: { tokenization_request_id: accountMintId } },
    output: tokenizationRequest,
  },
  getTokenizationRequestByClientRequestID: {
    input: { query: { client_request_id: 'treasury-17' } },
    output: tokenizationRequest,
  },
  postTokenizationMintBroker: {
    input: {
      ...inAccount,
      headers: { 'idempotency-key': '0192f0c1-2345-7abc-8def-0123456789ab' },
      body: { ...asked, issuer: 'st0x', client_request_id: 'treasury-17' },
    },
    output: minted,
  },
  getTokenizationTokensBroker: { input: { ...inAccount, query: {} }, output: [token] },
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
  listWorldTokenizationRequests: {
    input: { ...inFriday, query: { status: 'all', limit: 10 } },
    output: [worldRequest],
  },
  getWorldTokenizationRequest: {
    input: ofRequest,
    output: {
      request: worldRequest,
      steps: [
        { state: 'received', at, number: 50, request_id: '9f86d081884c7d659a2feaa0c55ad015' },
        { state: 'validating', at, number: 51 },
        { state: 'issuer_accepted', at, number: 52 },
        { state: 'transferred', at, number: 53 },
      ],
      events: [
        {
          number: 51,
          at,
          kind: 'jobStarted',
          account_id: accountId,
          event: {
            kind: 'jobStarted',
            at,
            accountId,
            requestId: mintId,
            jobId: `${mintId}/issuerMint`,
            attempt: 1,
          },
        },
      ],
      postings: [],
    },
  },
  createWorldMint: {
    input: { ...inFriday, headers: {}, body: { account_id: accountId, issuer: 'st0x', ...asked } },
    output: { ...worldRequest, state: 'validating' },
  },
  completeRequest: {
    input: { ...ofRequest, headers: {}, body: { tx_hash: txHash } },
    output: { ...worldRequest, state: 'completed', status: 'completed', tx_hash: txHash, fees: '0' },
  },
  rejectRequest: {
    input: { ...ofRequest, headers: {}, body: { reason: 'rejected by the operator' } },
    output: { ...worldRequest, state: 'rejected', status: 'rejected', reason: 'rejected by the operator' },
  },
  holdRequest: { input: ofRequest, output: { ...worldRequest, held: true } },
  releaseRequest: { input: { ...ofRequest, headers: {} }, output: worldRequest },
  simulateRedemption: {
    input: {
      ...inFriday,
      headers: {},
      body: {
        account_id: accountId,
        issuer: 'xstocks',
        underlying_symbol: 'AAPL',
        qty: '1.5',
        network: 'solana',
      },
    },
    output: { ...worldRequest, type: 'redeem', state: 'received' },
  },
  listUnmatchedTransfers: {
    input: inFriday,
    output: [transfer],
  },
  resolveUnmatchedTransfer: {
    input: {
      params: { world: 'friday', network: 'ethereum', tx_hash: transfer.tx_hash, log_index: 0 },
      body: { note: 'sent back to its owner' },
    },
    output: transfer,
  },
  listJobs: {
    input: inFriday,
    output: [
      {
        job_id: `${mintId}/issuerConfirm`,
        kind: 'confirm',
        account_id: accountId,
        tokenization_request_id: mintId,
        attempts: 3,
        due_at: at,
        parked: false,
        problem: 'POST http://localhost:8000/inkind/issuance/confirm answered 503',
      },
    ],
  },
  listIssuers: { input: inFriday, output: [builtin] },
  createIssuer: {
    input: {
      ...inFriday,
      body: {
        issuer: 'st0x',
        ...urls,
        api_key: 'the-key-of-the-issuer',
        redemption_wallets: { base: wallet },
      },
    },
    output: { ...external, key_id: 'CK0123456789ABCDEF01', secret_key: 'the-secret-of-the-issuer' },
  },
  createSigningKey: {
    input: inFriday,
    output: {
      signing_key_id: 'quipu-issuer-2026-11-0a1b2c3d',
      public_key: '-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEA…\n-----END PUBLIC KEY-----\n',
    },
  },
  restoreIssuer: {
    input: { params: { world: 'friday', issuer: 'xstocks' }, body: { grace_seconds: 0 } },
    output: builtin,
  },
  changeIssuer: {
    input: { params: { world: 'friday', issuer: 'xstocks' }, body: behaviour },
    output: builtin,
  },
  refreshIssuer: { input: { params: { world: 'friday', issuer: 'st0x' } }, output: external },
  listIssuerLinks: { input: inFriday, output: [link] },
  createIssuerLink: {
    input: { ...inFriday, body: { account_id: accountId, issuer: 'st0x', email: 'ap@example.org' } },
    output: link,
  },
  deleteIssuerLink: {
    input: { params: { world: 'friday', account_id: accountId, issuer: 'st0x' } },
    output: undefined,
  },
}
