import type { ExamplesOf } from './example.ts'
import { accountId, at, partnerId } from './values.table.ts'

const account = {
  id: accountId,
  account_number: 'PA0123456789',
  status: 'ACTIVE',
  crypto_status: 'ACTIVE',
  account_type: 'trading',
  trading_type: 'margin',
  currency: 'USD',
  last_equity: '25000',
  flavour: 'paper',
  client_account_id: 'customer-17',
  partner_id: partnerId,
  created_at: at,
  contact: { email_address: 'ana@example.org', city: 'Cusco' },
} as const

const position = {
  symbol: 'AAPL',
  qty: '10',
  side: 'long',
  avg_entry_price: '187.5',
  cost_basis: '1875',
} as const

const headers = {}

const params = { account_id: accountId }

const key = { key_id: 'PKEXAMPLE00000000000', created_at: at }

const blocked = {
  ...account,
  blocks: [{ block: 'trading', reason: 'under review', since: '2026-11-02T15:00:00Z' }],
} as const

const transferId = '18e9a1c2-7b3d-4e5f-8a90-000000000007'

const transfer = {
  id: transferId,
  account_id: accountId,
  type: 'ach',
  status: 'COMPLETE',
  currency: 'USD',
  amount: '500',
  requested_amount: '500',
  instant_amount: '0',
  fee: '0',
  fee_payment_method: 'user',
  direction: 'INCOMING',
  relationship_id: null,
  bank_id: null,
  additional_information: null,
  reason: null,
  created_at: at,
  updated_at: at,
  expires_at: null,
} as const

const otherId = '7c3b9f10-52ad-4d1e-9b6c-0f8e7d6c5b4a'

const bookTransferId = '18e9a1c2-7b3d-4e5f-8a90-00000000002a'

const journal = {
  id: bookTransferId,
  entry_type: 'JNLC',
  from_account: accountId,
  to_account: otherId,
  status: 'executed',
  net_amount: '51',
  symbol: null,
  qty: null,
  price: null,
  description: 'Bonus',
  currency: 'USD',
  system_date: '2026-11-02',
  settle_date: '2026-11-02',
  created_at: at,
} as const

export const brokerExamples: ExamplesOf<'broker'> = {
  createAccount: {
    input: {
      headers,
      body: {
        client_account_id: 'customer-17',
        cash: '25000',
        positions: [position],
        contact: { email_address: 'ana@example.org', city: 'Cusco' },
      },
    },
    output: account,
  },
  listAccounts: { input: { headers, query: { query: 'ana', limit: 10 } }, output: [account] },
  getAccountById: { input: { headers, params }, output: account },
  updateAccount: { input: { headers, params, body: { contact: { city: 'Cusco' } } }, output: account },
  deleteAccount: { input: { headers, params, query: {} }, output: undefined },
  closeAccount: { input: { headers, params, query: { empty: true } }, output: undefined },
  resetAccount: {
    input: { headers, params, body: { cash: '25000', positions: [position] } },
    output: account,
  },
  listAccountKeys: { input: { headers, params }, output: [key] },
  createAccountKey: {
    input: { headers, params, body: { expires_at: '2027-01-01T00:00:00Z' } },
    output: {
      ...key,
      expires_at: '2027-01-01T00:00:00Z',
      secret_key: 'shown-once-and-never-again-0123456789abc',
    },
  },
  deleteAccountKey: { input: { headers, params: { ...params, key_id: key.key_id } }, output: undefined },
  blockAccount: {
    input: { headers, params, body: { blocks: ['trading'], reason: 'under review' } },
    output: blocked,
  },
  unblockAccount: { input: { headers, params, body: {} }, output: account },
  blockAccountOfWorld: {
    input: { params: { world: 'friday', ...params }, body: { blocks: ['trading'], reason: 'under review' } },
    output: blocked,
  },
  unblockAccountOfWorld: { input: { params: { world: 'friday', ...params }, body: {} }, output: account },
  createTransfer: {
    input: { headers, params, body: { transfer_type: 'ach', direction: 'INCOMING', amount: '500' } },
    output: transfer,
  },
  listTransfers: { input: { headers, params, query: { direction: 'INCOMING' } }, output: [transfer] },
  createJournal: {
    input: {
      headers,
      body: { entry_type: 'JNLC', from_account: accountId, to_account: otherId, amount: '51' },
    },
    output: journal,
  },
  listJournals: { input: { headers, query: { entry_type: 'JNLC' } }, output: [journal] },
  getJournal: { input: { headers, params: { journal_id: bookTransferId } }, output: journal },
}
