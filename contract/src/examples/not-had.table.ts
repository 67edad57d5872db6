const id = '7c2b7e0a-5d1f-4f58-9c52-6a0f3b8d2e11'
const at = '2026-11-02T15:10:15.101202303Z'

const announcement = {
  id,
  corporate_action_id: 'F58684224_XY37',
  ca_type: 'dividend',
  ca_sub_type: 'cash',
  initiating_symbol: 'AAPL',
  initiating_original_cusip: '037833100',
  target_symbol: null,
  target_original_cusip: null,
  declaration_date: '2026-10-29',
  ex_date: '2026-11-09',
  record_date: '2026-11-09',
  payable_date: '2026-11-12',
  expiration_date: null,
  cash: '0.26',
  old_rate: '1',
  new_rate: '1',
} as const

const contract = {
  id,
  symbol: 'AAPL261218C00250000',
  name: 'AAPL Dec 18 2026 250 Call',
  status: 'active',
  tradable: true,
  expiration_date: '2026-12-18',
  root_symbol: 'AAPL',
  underlying_symbol: 'AAPL',
  underlying_asset_id: '6f1b1c58-77a1-4f0e-8a0a-0d0b7a5e9c01',
  type: 'call',
  style: 'american',
  strike_price: '250',
  multiplier: '100',
  size: '100',
} as const

const address = '7EcDhSYGxXyscszYEp35KHN8vvw3svAuLKTzXwCFLtV'
const transfer = {
  id,
  tx_hash: '5jzh8Nf3',
  direction: 'OUTGOING',
  amount: '1.5',
  usd_value: '210',
  network_fee: '0.001',
  fees: '0',
  chain: 'SOL',
  asset: 'SOL',
  from_address: address,
  to_address: address,
  status: 'PROCESSING',
  created_at: at,
} as const
const whitelisted = { id, chain: 'SOL', asset: 'SOL', address, status: 'PENDING', created_at: at } as const

const locate = {
  id,
  symbol: 'AAPL',
  requested_qty: 100,
  all_or_none: false,
  status: 'active',
  created_at: at,
} as const

const byId = { params: { id } } as const

/** Calls about what no account has here. */
export const notHadExamples = {
  listAnnouncements: {
    input: { query: { ca_types: ['dividend'], since: '2026-11-01', until: '2026-11-30' } },
    output: [],
  },
  getAnnouncement: { input: byId, output: announcement },
  listOptionContracts: {
    input: { query: { underlying_symbols: ['AAPL'] } },
    output: { option_contracts: [], next_page_token: null },
  },
  getOptionContract: { input: { params: { symbol_or_id: contract.symbol } }, output: contract },
  listWallets: { input: { query: {} }, output: [] },
  listWalletTransfers: { input: {}, output: [] },
  createWalletTransfer: {
    input: { body: { amount: '1.5', address, asset: 'SOL', chain: 'SOL' } },
    output: transfer,
  },
  getWalletTransfer: { input: byId, output: transfer },
  listWhitelistedAddresses: { input: {}, output: [] },
  createWhitelistedAddress: { input: { body: { address, asset: 'SOL', chain: 'SOL' } }, output: whitelisted },
  deleteWhitelistedAddress: { input: byId, output: undefined },
  estimateWalletFee: {
    input: { query: { asset: 'SOL', amount: '1.5' } },
    output: { fee: '0', network_fee: '0.001' },
  },
  listLocateQuotes: {
    input: { query: { symbols: ['AAPL'] } },
    output: {
      quotes: [],
      errors: [{ symbol: 'AAPL', code: 'easy_to_borrow', message: 'AAPL is easy to borrow' }],
    },
  },
  createLocate: { input: { headers: {}, body: { symbol: 'AAPL', qty: 100 } }, output: locate },
  listLocates: { input: { query: {} }, output: { locates: [], next_page_token: null } },
  getLocate: { input: byId, output: locate },
} as const
