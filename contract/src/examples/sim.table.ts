import type { ExamplesOf } from './example.ts'
import { accountId, asset, at, inFriday, partnerId } from './values.table.ts'

const world = {
  world: 'friday',
  durable: false,
  clock: 'virtual',
  frozen: true,
  now: '2026-11-06T14:30:00Z',
  seed: '42',
  hours: 'nyse',
  market: 'synthetic',
  fill_size: 'unlimited',
  latency_ms: '0',
  starting_cash: '100000',
  fees: 'us',
  seq: 5,
} as const

const inAccount = { account_id: accountId, account_number: '010203ABCD', flavour: 'paper' } as const

const keyPair = { key_id: 'PKEXAMPLE00000000000', secret_key: 'shown-only-here' }

const createdWorld = {
  ...world,
  accounts: [{ ...inAccount, ...keyPair }],
  partner: { partner_id: '1b2c3d4e-5f60-4718-8293-a4b5c6d7e8f9', ...keyPair },
}

const worldClock = {
  world: 'friday',
  clock: 'virtual',
  now: '2026-11-06T14:30:00Z',
  frozen: true,
  speed: 0,
  is_open: true,
  next_open: '2026-11-09T14:30:00Z',
  next_close: '2026-11-06T21:00:00Z',
} as const

const crash = {
  id: '1',
  status: 'pending',
  kind: 'crash',
  at: '2026-11-06T15:00:00Z',
  depth: 0.2,
  minutes: 10,
  recovers: true,
} as const

const node = {
  name: 'quipu-2 process 1 (5e6f7a8b)',
  address: 'http://10.0.0.2:7878',
  version: '0.1.0',
  started_at: at,
  draining: false,
  worlds: 1,
}

const placed = {
  world: 'friday',
  code: 'K7',
  node: node.name,
  open: true,
  held_since: at,
  seq: 5,
  problems: [],
}

const fault = {
  id: '1',
  name: 'the first order is ambiguous',
  match: { operation: ['placeOrder'] },
  effect: { kind: 'answer_lost' },
  times: 1,
  matched: 0,
  consumed: 0,
  consumed_at: [],
  exhausted: false,
  created_at: '2026-11-06T14:30:00Z',
} as const

const corporateSplit = {
  id: '3f0a1c5e-9b1d-4a55-8c4e-6d2f0b7a9e11',
  type: 'forward_split',
  symbol: 'AAPL',
  status: 'scheduled',
  ex_date: '2026-11-10',
  effective_at: '2026-11-10T05:00:00Z',
  created_at: '2026-11-06T15:00:00Z',
  new_rate: '4',
  old_rate: '1',
} as const

const series = {
  symbol: 'AAPL',
  kind: 'bars',
  frame: '1Min',
  rows: 98_280,
  bytes: 1_867_320,
  first: '2025-01-02T14:30:00Z',
  last: '2025-12-31T20:59:00Z',
  worlds: ['main'],
} as const

const usedSeries = {
  symbol: 'AAPL',
  kind: 'bars',
  frame: '1Min',
  rows: 98_280,
  digest: '5d3f6b1f0e9b7f2a4c1d8e6a90b3c2d1e4f5a6b7c8d9e0f1a2b3c4d5e6f7a8b9',
} as const

const key = {
  key_id: keyPair.key_id,
  kind: 'account',
  account_id: accountId,
  created_at: at,
} as const

const partner = { partner_id: partnerId, name: 'Acme', accounts: 0, created_at: at }

const backup = {
  name: 'monday',
  folder: '/var/lib/quipu/backups/monday',
  at: '2026-11-15T08:00:00Z',
  seq: 9,
  hash: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  version: '0.1.0',
  bytes: 1_204_224,
}

const user = {
  user_id: '3f2a1b0c-9d8e-4f7a-8b6c-5d4e3f2a1b0c',
  name: 'ana',
  operator: false,
  auditor: false,
  second_factors: [],
  disabled: false,
  accounts: [
    {
      account_id: '5e1c2a90-3d4b-4f6e-8a7b-9c0d1e2f3a4b',
      account_number: 'PA0123456789',
      flavour: 'paper',
    },
  ],
  sessions: 1,
  created_at: at,
} as const

const params = { world: 'main', user: 'ana' }

const inRun = { params: { run: '3f9c2e10-6a0b-4c53-9c57-2f1a0a3c9b11' } }
const storedRun = {
  id: inRun.params.run,
  kind: 'run',
  program: 'sma.py',
  command: ['python3', 'sma.py'],
  revision: '3f9c2e1',
  version: '0.1.0',
  scenario: 'flash-crash',
  seed: '41',
  hours: 'nyse',
  from: '2026-01-05T14:30:00Z',
  to: '2026-01-05T21:00:00Z',
  started_at: '2026-11-02T15:10:15.101Z',
  took_ms: 41_000,
  verdict: 'passed',
  reason: '',
  exit_code: 0,
  symbols: ['AAPL'],
  equity_at_start: 100_000,
  profit_loss: 866.25,
  buy_and_hold: 512.4,
  spy: 120.15,
  fees: 0.13,
  max_drawdown: 0.0254,
  orders: 12,
  fills: 12,
  requests: 190,
  refused: 0,
  faults_met: 1,
  faults_planned: 1,
  curve: [100_000, 99_400, 100_866.25],
  is_cut: false,
  number: 128,
  owner: 'ana',
  bytes: 18_204,
  pinned: false,
  stored_at: '2026-11-02T15:10:57.000Z',
} as const

export const simExamples: ExamplesOf<'sim'> = {
  listWorlds: { input: {}, output: [{ ...world, accounts: [{ ...inAccount, name: 'Ada' }] }] },
  createWorld: {
    input: { body: { world: 'friday', seed: 42, start: '2026-11-06T14:30:00Z', hours: 'nyse' } },
    output: createdWorld,
  },
  listScenarios: {
    input: {},
    output: [{ name: 'flash-crash', about: 'All stocks fall by 10 % and recover.', accounts: ['trader'] }],
  },
  createScenarioWorld: {
    input: { body: { name: 'flash-crash', world: 'friday' } },
    output: { ...createdWorld, account_names: ['trader'] },
  },
  getWorld: { input: inFriday, output: { ...world, accounts: [{ ...inAccount, name: 'Ada' }] } },
  forkWorld: {
    input: { ...inFriday, body: { world: 'friday-b' } },
    output: { ...createdWorld, world: 'friday-b', parent: 'friday', forked_at: createdWorld.now },
  },
  saveWorld: { input: { ...inFriday, query: {} }, output: new Uint8Array() },
  loadWorld: {
    input: { query: { world: 'friday-b' }, body: new Uint8Array() },
    output: { ...createdWorld, world: 'friday-b' },
  },
  updateWorld: {
    input: {
      ...inFriday,
      body: { title: 'Stops instead of buying the dip', note: 'Both dip limits canceled' },
    },
    output: {
      ...world,
      title: 'Stops instead of buying the dip',
      note: 'Both dip limits canceled',
      accounts: [{ ...inAccount, name: 'Ada' }],
    },
  },
  resetWorld: { input: inFriday, output: { ...world, accounts: [{ ...inAccount, name: 'Ada' }] } },
  deleteWorld: { input: inFriday, output: undefined },
  getWorldClock: { input: inFriday, output: worldClock },
  freezeClock: { input: inFriday, output: worldClock },
  stopClock: { input: inFriday, output: worldClock },
  runClock: {
    input: { ...inFriday, body: { speed: 60 } },
    output: { ...worldClock, frozen: false, speed: 60 },
  },
  advanceClock: {
    input: { ...inFriday, body: { until: 'next_close' } },
    output: {
      world: 'friday',
      from: '2026-11-06T14:30:00Z',
      now: '2026-11-06T21:00:00Z',
      frozen: true,
      seq: 9,
      events: { orderFilled: 1, dayClosed: 1 },
      orders_ended: { filled: 1 },
      reached: true,
      stopped: false,
    },
  },
  setClock: {
    input: { ...inFriday, body: { to: '2026-11-06T20:00:00Z' } },
    output: {
      world: 'friday',
      from: '2026-11-06T14:30:00Z',
      now: '2026-11-06T20:00:00Z',
      frozen: true,
      seq: 7,
      events: {},
      orders_ended: {},
      reached: true,
      stopped: false,
    },
  },
  replayClock: {
    input: { ...inFriday, body: { to: '2026-11-06', step: '1m' } },
    output: {
      world: 'friday',
      from: '2026-11-06T14:30:00Z',
      now: '2026-11-07T05:00:00Z',
      finished: true,
      mode: 'exact',
      steps: 392,
      waits: 395,
      elapsed_ms: 130,
      client_ms: 90,
      seq: 9,
    },
  },
  readAudit: {
    input: inFriday,
    output: {
      world: 'friday',
      sound: true,
      seq: 9,
      hash: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
      postings: 3,
      balances: 6,
      problems: [],
      tokenization: [
        {
          issuer: 'xstocks',
          underlying_symbol: 'AAPL',
          custody: '3.5',
          multiplier: '1/1',
          in_flight: '1',
          tokens: { base: '2', solana: '0.5' },
        },
      ],
      ledger_id: '5e2b7c1a-64d0-4b8e-9a3f-0c1d2e3f4a5b',
      transits: [
        {
          id: '5e2b7c1a-64d0-4b8e-9a3f-0c1d2e3f4a5b/1787c1b5-2f4c-4000-8000-000000000900',
          direction: 'out',
          world: 'monday',
          status: 'pending',
          asset: 'USD',
          amount: '51',
        },
      ],
    },
  },
  getWorldStore: {
    input: { params: { world: 'main' } },
    output: {
      world: 'main',
      stored_in: 'files',
      seq: 9,
      journal_bytes: 1_048_576,
      query_tables_bytes: 131_072,
      snapshots_bytes: 4_096,
      disk_free_bytes: 81_604_378_624,
      last_audit: { at: '2026-11-15T08:00:00Z', sound: true, seq: 9, problems: [] },
      last_backup: backup,
    },
  },
  getDoctor: {
    input: {},
    output: {
      version: '1.0.0',
      at: '2026-11-15T08:00:00Z',
      public_url: 'https://broker.example.com',
      checks: [
        { check: 'disk', ok: true, detail: '/var/lib/quipu has 81.6 GB free' },
        {
          check: 'backup',
          ok: false,
          detail: 'the last backup is 3 days old',
          fix: 'quipu store backup /backups/$(date +%F)',
        },
      ],
    },
  },
  getCluster: { input: {}, output: { nodes: [node], worlds: [placed] } },
  moveWorld: {
    input: { body: { world: 'friday', node: 'http://10.0.0.2:7878' } },
    output: { world: 'friday', from: 'quipu-1 process 1 (0d1f2a3b)', to: node.name, paused_ms: 180 },
  },
  drainNode: { input: { params: { node: 'quipu-2' } }, output: { ...node, draining: true } },
  resumeNode: { input: { params: { node: 'quipu-2' } }, output: node },
  listBackups: { input: {}, output: [backup] },
  createBackup: { input: { body: { name: 'monday' } }, output: backup },
  getJournalHead: {
    input: { params: { world: 'main' } },
    output: {
      world: 'main',
      durable: true,
      seq: 9,
      hash: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
    },
  },
  getWorldSymbols: {
    input: inFriday,
    output: { any: true, listed: ['SOFI'], limit: 500, unknown: [{ symbol: 'SOFII', requests: 2 }] },
  },
  createAsset: {
    input: { ...inFriday, body: { symbol: 'SOFI', price: '12' } },
    output: { ...asset, symbol: 'SOFI', name: 'SOFI' },
  },
  listMarketEvents: { input: inFriday, output: [crash] },
  createMarketEvent: {
    input: { ...inFriday, body: { kind: 'crash', at: '2026-11-06T15:00:00Z', depth: '0.2' } },
    output: crash,
  },
  deleteMarketEvent: { input: { params: { world: 'friday', event_id: '1' } }, output: undefined },
  listFaults: { input: inFriday, output: [fault] },
  createFault: {
    input: {
      ...inFriday,
      body: {
        name: 'the first order is ambiguous',
        match: { operation: ['placeOrder'] },
        effect: { kind: 'answer_lost' },
      },
    },
    output: fault,
  },
  deleteFaults: { input: inFriday, output: undefined },
  getFault: { input: { params: { world: 'friday', fault_id: '1' } }, output: fault },
  deleteFault: { input: { params: { world: 'friday', fault_id: '1' } }, output: undefined },
  listCorporateActions: { input: inFriday, output: [corporateSplit] },
  createCorporateAction: {
    input: {
      ...inFriday,
      headers: {},
      body: { type: 'forward_split', symbol: 'AAPL', ex_date: '2026-11-10', new_rate: '4', old_rate: '1' },
    },
    output: corporateSplit,
  },
  deleteCorporateAction: {
    input: { params: { world: 'friday', action_id: corporateSplit.id } },
    output: undefined,
  },
  listRuns: { input: { query: {} }, output: { runs: [storedRun], next_cursor: null } },
  storeRun: { input: { body: new Uint8Array() }, output: storedRun },
  getRun: { input: inRun, output: storedRun },
  getRunFile: { input: inRun, output: new Uint8Array() },
  pinRun: { input: { ...inRun, body: { pinned: true } }, output: { ...storedRun, pinned: true } },
  deleteRun: { input: inRun, output: undefined },
  listData: { input: {}, output: [series] },
  deleteData: { input: { query: { symbol: 'AAPL', kind: 'bars' } }, output: [{ ...series, worlds: [] }] },
  useData: { input: { ...inFriday, body: { symbols: ['AAPL'] } }, output: [usedSeries] },
  listKeys: { input: inFriday, output: [key] },
  createKey: {
    input: { ...inFriday, body: { kind: 'account' } },
    output: { ...key, secret_key: keyPair.secret_key },
  },
  deleteKey: { input: { params: { world: 'friday', key_id: keyPair.key_id } }, output: undefined },
  listPartners: { input: { params: { world: 'friday' } }, output: [partner] },
  createPartner: {
    input: { params: { world: 'friday' }, body: { name: 'Acme' } },
    output: {
      ...partner,
      key_id: 'CKEXAMPLE00000000000',
      secret_key: 'shown-once-and-never-again-0123456789abc',
    },
  },
  listUsers: { input: { params: { world: 'main' } }, output: [user] },
  createUser: {
    input: { params: { world: 'main' }, body: { name: 'ana', accounts: [{ flavour: 'paper' }] } },
    output: { ...user, sessions: 0, password: 'Zk1v0b3JcQ9xT2mLw8aR' },
  },
  getUser: { input: { params }, output: user },
  changeUser: {
    input: { params, body: { disabled: true } },
    output: { ...user, disabled: true, sessions: 0 },
  },
  deleteUser: { input: { params }, output: undefined },
  createSignInLink: {
    input: { params, body: { operator: true } },
    output: {
      url: 'http://127.0.0.1:7878/oauth/sign-in?once=Hq3…',
      expires_at: '2026-11-02T16:10:15.101Z',
    },
  },
  resetSecondFactors: { input: { params: { world: 'main', user: 'ana' }, headers: {} }, output: undefined },
  listUserSessions: {
    input: { params },
    output: [
      {
        session_id: '9b8a7c6d-5e4f-4a3b-8c2d-1e0f9a8b7c6d',
        created_at: at,
        ends_at: '2026-11-03T03:10:15.101Z',
        from: '203.0.113.7',
      },
    ],
  },
  endUserSessions: { input: { params, query: {} }, output: undefined },
  getOpenApi: { input: {}, output: '{"openapi":"3.1.0", …}' },
  getSecurityText: {
    input: {},
    output: 'Contact: mailto:security@broker.example\nExpires: 2027-05-01T00:00:00.000Z\n',
  },
  getHealth: { input: {}, output: { status: 'ok' } },
  getReadiness: { input: {}, output: { status: 'ready' } },
  getMetrics: { input: {}, output: 'quipu_requests_total 1\n' },
}
