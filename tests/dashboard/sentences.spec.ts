import assert from 'node:assert/strict'
import { test } from 'node:test'
import { examples, type Operation, operations } from '@quipu/contract'
import type { LoggedRequest } from '@quipu/sdk'
import { requestSentence } from '../../web/src/format/request-sentence.ts'
import { callersOf, latencyAt, latencyColumns } from '../../web/src/screens/activity/request-figures.ts'
import { rowsOf } from '../../web/src/screens/activity/request-rows.ts'

type Logged = Parameters<typeof requestSentence>[0]

/** The sentence of each operation that changes something, for its example. */
const sentences: Readonly<Record<string, string>> = {
  patchAccountConfigurations: 'Change the account settings',
  placeOrder: 'Buy 3 AAPL at 187.50',
  replaceOrder: 'Replace order 0d5f2b0e at 190.00 for 2',
  cancelOrder: 'Cancel order 0d5f2b0e',
  cancelAllOrders: 'Cancel all orders',
  closePosition: 'Close AAPL by 50 %',
  closeAllPositions: 'Close all positions',
  exerciseOption: 'Exercise option AAPL261218C00200000',
  doNotExerciseOption: 'Decline to exercise option AAPL261218C00200000',
  createWatchlist: 'Create watchlist Fruit',
  updateWatchlist: 'Change watchlist 3f1d6c52',
  addToWatchlist: 'Add AAPL to watchlist 3f1d6c52',
  deleteWatchlist: 'Delete watchlist 3f1d6c52',
  removeFromWatchlist: 'Remove MSFT from watchlist 3f1d6c52',
  updateWatchlistByName: 'Change watchlist Fruit',
  addToWatchlistByName: 'Add AAPL to watchlist Fruit',
  deleteWatchlistByName: 'Delete watchlist Fruit',
  createWalletTransfer: 'Send 1.5 SOL to a wallet',
  createWhitelistedAddress: 'Add a wallet address for SOL',
  deleteWhitelistedAddress: 'Remove wallet address 7c2b7e0a',
  createLocate: 'Locate 100 AAPL to borrow',
  createAccount: 'Open account customer-17',
  updateAccount: 'Change the details of account 5e1c2a90',
  deleteAccount: 'Close account 5e1c2a90',
  closeAccount: 'Close account 5e1c2a90',
  resetAccount: 'Reset account 5e1c2a90',
  createAccountKey: 'Create a key of account 5e1c2a90',
  deleteAccountKey: 'Delete key PKEXAMPLE00000000000',
  blockAccount: 'Block account 5e1c2a90',
  unblockAccount: 'Unblock account 5e1c2a90',
  blockAccountOfWorld: 'Block account 5e1c2a90',
  unblockAccountOfWorld: 'Unblock account 5e1c2a90',
  createTransfer: 'Deposit $500.00',
  createJournal: 'Move $51.00 to account 7c3b9f10',
  authorizeOAuthToken: 'Issue a code to an app',
  issueOAuthToken: 'Issue a token to an app',
  deleteOAuthToken: 'Revoke token 2f6d1c0b',
  createOAuthClient: 'Register app TradingApp',
  updateOAuthClient: 'Change app 7a3c52a9',
  deleteOAuthClient: 'Delete app 7a3c52a9',
  createOAuthClientSecret: 'Create a secret of app 7a3c52a9',
  deleteOAuthClientSecret: 'Delete a secret of app 7a3c52a9',
  deleteOAuthGrant: 'Withdraw consent 2f6d1c0b',
  issueMachineToken: 'Get a token of a partner program',
  revokeMachineToken: 'Revoke a token of a partner program',
  exchangeOAuthCode: 'Exchange the code of an app',
  revokeOAuthToken: 'Revoke the token of an app',
  introspectOAuthToken: 'Look up the token of an app',
  submitAuthorizePage: 'Answer the consent page',
  signIn: 'Sign in',
  signOut: 'Sign out',
  withdrawApp: 'Withdraw the consent to app 7a3c52a9',
  changeOperatorRights: 'Change the rights of the session',
  confirmSecondFactor: 'Confirm with a second factor',
  changeFactors: 'Change the second factors',
  issueSessionToken: 'Get a token for a page',
  postTokenizationMint: 'Mint 1.5 AAPL',
  postTokenizationMintBroker: 'Mint 1.5 AAPL',
  postTokenizationCallbackMint: 'Confirm tokenization request 0d7e8c1b',
  postTokenizationRedeem: 'Redeem 1.5 AAPL',
  postTokenizationRedeemAlias: 'Redeem 1.5 AAPL',
  createWorldMint: 'Mint 1.5 AAPL',
  completeRequest: 'Complete tokenization request 0d7e8c1b',
  rejectRequest: 'Reject tokenization request 0d7e8c1b',
  holdRequest: 'Hold tokenization request 0d7e8c1b',
  releaseRequest: 'Release tokenization request 0d7e8c1b',
  simulateRedemption: 'Simulate a redemption of 1.5 AAPL',
  resolveUnmatchedTransfer: 'Close an unmatched transfer',
  createIssuer: 'Create issuer st0x',
  createSigningKey: 'Get the signing key',
  restoreIssuer: 'Restore issuer xstocks',
  changeIssuer: 'Change issuer xstocks',
  refreshIssuer: 'Read the tokens of issuer st0x',
  createIssuerLink: 'Link an account to issuer st0x',
  deleteIssuerLink: 'Unlink an account from issuer st0x',
  createWorld: 'Create world friday',
  forkWorld: 'Fork world friday',
  resetWorld: 'Reset world friday',
  deleteWorld: 'Delete world friday',
  updateWorld: 'Describe world friday Stops instead of buying the dip',
  storeRun: 'Store a run',
  pinRun: 'Pin or unpin run 3f9c2e10',
  deleteRun: 'Delete run 3f9c2e10',
  createScenarioWorld: 'Create a world of scenario flash-crash',
  replayClock: 'Replay in lock-step to 2026-11-06',
  loadWorld: 'Load a world from a file',
  freezeClock: 'Pause the clock',
  runClock: 'Run the clock at 60×',
  advanceClock: 'Advance the clock until next close',
  stopClock: 'Stop the clock',
  setClock: 'Set the clock to 6 Nov 15:00:00',
  createAsset: 'Add symbol SOFI',
  createMarketEvent: 'Plan a crash by 20 %',
  deleteMarketEvent: 'Remove market event 1',
  createFault: 'Add fault rule the first order is ambiguous',
  deleteFaults: 'Remove all fault rules',
  deleteFault: 'Remove fault rule 1',
  createCorporateAction: 'Plan a forward split of AAPL',
  deleteCorporateAction: 'Cancel corporate action 3f0a1c5e',
  deleteData: 'Delete imported data',
  useData: 'Use imported data',
  createKey: 'Create a key for account',
  deleteKey: 'Delete key PKEXAMPLE00000000000',
  createPartner: 'Create partner Acme',
  createUser: 'Create user ana',
  changeUser: 'Change user ana',
  deleteUser: 'Delete user ana',
  createSignInLink: 'Create a sign-in link for ana',
  resetSecondFactors: 'Remove the second factors of ana',
  endUserSessions: 'End the sessions of ana',
  createBackup: 'Make backup monday',
  moveWorld: 'Move world friday to http://10.0.0.2:7878',
  drainNode: 'Drain node quipu-2',
  resumeNode: 'Resume node quipu-2',
  closeSocket: 'Close stream 7',
  eraseAddresses: 'Erase client addresses',
}

const changing = Object.entries<Operation>(operations).filter(
  ([name, { method, onlyReads }]) => method !== 'GET' && onlyReads !== true && !name.endsWith('ForAccount'),
)

/** The example of an operation, as the request log has it. */
function logged(name: string, { method, path }: Operation): Logged {
  const { input = {} } = examples[name as keyof typeof examples] as { readonly input?: Input }
  const filled = path.replaceAll(/\{(\w+)(\.\.\.)?\}/g, (_, one) =>
    encodeURIComponent(`${input.params?.[one]}`),
  )
  const query = Object.entries(input.query ?? {}).map(([key, value]): [string, string] => [key, `${value}`])
  const body = input.body === undefined ? {} : { body: JSON.stringify(input.body) }
  return {
    method,
    path: filled,
    operation: name,
    status: 200,
    query: `${new URLSearchParams(query)}`,
    ...body,
  }
}
type Input = {
  readonly params?: Readonly<Record<string, unknown>>
  readonly query?: Readonly<Record<string, unknown>>
  readonly body?: unknown
}

for (const [name, declared] of changing)
  test(`${name}: ${sentences[name]}`, () =>
    assert.equal(requestSentence(logged(name, declared), declared.path), sentences[name]))

test('every operation that changes something has a row, and no row is of another', () =>
  assert.deepEqual(Object.keys(sentences).sort(), changing.map(([name]) => name).sort()))

test('every other operation has a sentence without a hole', () => {
  for (const [name, declared] of Object.entries<Operation>(operations)) {
    const sentence = requestSentence(logged(name, declared), declared.path)
    assert.match(sentence, /^[A-Z]\S*( \S+)+$|^Sign in$/, `${name}: ${sentence}`)
    assert.doesNotMatch(sentence, /undefined|null|\{|NaN/, name)
  }
})

const buy = { method: 'POST', path: '/v2/orders', operation: 'placeOrder' } as const
const order = (fields: object) => JSON.stringify({ symbol: 'NVDA', side: 'buy', qty: '300', ...fields })
const rows: readonly (readonly [Partial<Logged>, string])[] = [
  [{ ...buy, body: order({}) }, 'Buy 300 NVDA'],
  [{ ...buy, body: order({ side: 'sell', qty: 1.5 }) }, 'Sell 1.5 NVDA'],
  [{ ...buy, body: order({ qty: undefined, notional: '500' }) }, 'Buy $500.00 of NVDA'],
  [{ ...buy, body: order({ stop_price: '90', limit_price: '89.5' }) }, 'Buy 300 NVDA at 89.50 from 90.00'],
  [{ ...buy, body: order({ trail_percent: '2' }) }, 'Buy 300 NVDA trailing 2 %'],
  [{ ...buy, body: order({ order_class: 'bracket' }) }, 'Buy 300 NVDA (BRACKET)'],
  [{ ...buy, operation: 'placeOrderForAccount', body: order({}) }, 'Buy 300 NVDA'],
  // The log cuts long bodies.
  [{ ...buy, body: '{"symbol":"NVDA","side":"buy","qty":"300","note":"aaa…' }, 'Buy 300 NVDA'],
  [{ ...buy, body: 'no JSON' }, 'Place an order'],
  [{ ...buy, body: order({}), status: 403, reason: 'washTrade' }, 'Buy 300 NVDA refused: opposite order'],
  [
    { ...buy, body: order({}), status: 422, reason: 'stopBeyondMarket' },
    'Buy 300 NVDA refused: stop beyond market',
  ],
  [{ ...buy, body: order({}), status: 503, reason: 'notApplied' }, 'Buy 300 NVDA failed: not applied'],
  [{ ...buy, body: order({}), status: null }, 'Buy 300 NVDA: no response'],
  [{ method: 'GET', path: '/v2/orders', operation: 'listOrders' }, 'Read orders'],
  [
    { method: 'GET', path: '/v2/nothing', status: 404, reason: 'endpointNotFound' },
    'GET /v2/nothing refused: endpoint not found',
  ],
  [{ method: '', path: '', status: 400, reason: 'badRequest' }, 'Malformed request refused: bad request'],
  [{ method: 'GET', path: '/v2/positions/%', operation: 'getPosition' }, 'Read position of %'],
]

for (const [request, sentence] of rows)
  test(sentence, () => {
    const template = operations[request.operation as keyof typeof operations]?.path
    assert.equal(requestSentence({ method: '', path: '', status: 200, ...request }, template), sentence)
  })

const entry = (number: number, fields: Partial<LoggedRequest>): LoggedRequest => ({
  number,
  request_id: `${number}`.padStart(32, '0'),
  at: new Date(number * 20_000).toISOString(),
  method: 'GET',
  path: '/v2/orders',
  operation: 'listOrders',
  status: 200,
  ms: number,
  source: 'program',
  key_id: 'PK1',
  ...fields,
})
const wrong = { ...buy, status: 403, code: 40310000, reason: 'washTrade' } as const
const log = [
  entry(6, { ...wrong, body: order({}) }),
  entry(5, { ...wrong, body: order({ qty: '7' }) }),
  entry(4, { ...wrong, body: order({ symbol: 'AAPL' }) }),
  entry(3, {}),
  entry(2, { ...wrong, body: order({}) }),
  entry(1, { source: 'dashboard', key_id: 'TK1' }),
  entry(0, { source: 'dashboard', key_id: 'TK2', ms: 5000 }),
]

test('errors of the same operation, code and symbol are one row; others are not', () => {
  const shown = (opened: readonly string[]) =>
    rowsOf(log, new Set(opened)).map(({ requests, isPart }) => (isPart ? 'part' : requests.length))
  assert.deepEqual(shown([]), [3, 1, 1, 1, 1])
  const key = rowsOf(log, new Set())[0]!.key
  assert.deepEqual(shown([key]), [3, 'part', 'part', 'part', 1, 1, 1, 1])
  // A new error keeps the group open.
  const more = [entry(7, { ...wrong, body: order({}) }), ...log]
  assert.deepEqual(rowsOf(more, new Set([key])).filter(({ isPart }) => isPart).length, 4)
})

test('the figures: columns of latency, percentiles, and callers with their rate', () => {
  assert.deepEqual(
    latencyColumns(log).flatMap(({ fromMs, count, errors }) => (count > 0 ? [[fromMs, count, errors]] : [])),
    [
      [1, 1, 0],
      [2, 3, 2],
      [5, 2, 2],
      [1000, 1, 0],
    ],
  )
  assert.deepEqual([latencyAt(log, 0.5), latencyAt(log, 0.95), latencyAt([], 0.5)], [4, 5000, undefined])
  assert.deepEqual(
    callersOf(log).map(({ source, count, errors, perMinute }) => [
      source,
      count,
      errors,
      perMinute.slice(-3),
    ]),
    [
      ['program', 5, 4, [1, 3, 1]],
      ['dashboard', 2, 0, [2, 0, 0]],
    ],
  )
})
